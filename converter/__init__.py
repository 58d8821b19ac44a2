"""The shared conversion service: authorize, admit, order, share, cancel, remember."""
