"""What the parts of mindrecord share."""
