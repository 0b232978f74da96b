"""The import hook and the disk cache."""
