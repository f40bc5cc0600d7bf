"""Shared parts of mindrecord."""
