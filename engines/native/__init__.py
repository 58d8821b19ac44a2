"""The native engine: the LibreOffice that is installed on this machine."""
