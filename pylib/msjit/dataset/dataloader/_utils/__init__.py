"""Parts of DataLoader: collate functions and worker processes."""
