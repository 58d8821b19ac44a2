"""What documents tell of themselves, read from their bytes in a confined child process. Only the standard library.

OOXML and OpenDocument packages, flat OpenDocument, RTF and HTML are read for all facts that they can have. Of binary
workbooks (xls, xlsb) sheets, comments and links are read, of doc comments, fields and objects, of all three macros and
metadata. Not read are tracked changes and hidden text of doc, comments of xlsb, hidden slides and comments of ppt.
Plain text and CSV have nothing to tell.
"""
