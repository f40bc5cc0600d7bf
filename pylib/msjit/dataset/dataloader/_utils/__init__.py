"""Parts of DataLoader: how batches are made, and its worker processes."""
