"""Makes examples/documents from the texts in this file. Only maintainers run it; the documents are committed.

Needs LibreOffice (`soffice` on the path) and, for the password-protected document, `pip install msoffcrypto-tool`.
Every text is invented; addresses, telephone numbers and IBANs are reserved for examples.

    python scripts/makeExamples.py
"""

import email.message
import email.policy
import json
import pathlib
import shutil
import subprocess
import tempfile
import zipfile
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent / 'examples'
OUT = ROOT / 'documents'
PASSWORD = 'brightwater'

NAMESPACES = ' '.join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        'office': 'office', 'text': 'text', 'table': 'table', 'style': 'style', 'draw': 'drawing',
        'presentation': 'presentation', 'meta': 'meta', 'number': 'datastyle',
        'fo': 'xsl-fo-compatible', 'svg': 'svg-compatible',
    }.items()
) + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'


HEADINGS = ''.join(
    f'<style:style style:name="Heading_20_{level}" style:display-name="Heading {level}" style:family="paragraph" '
    f'style:default-outline-level="{level}"><style:text-properties fo:font-size="{size}pt" fo:font-weight="bold"/>'
    '</style:style>'
    for level, size in ((1, 18), (2, 14))
)


# Flat OpenDocument, the source LibreOffice turns into every office format.

def flat(kind, body, title, author, styles=''):
    return f'''<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.{kind}">
<office:meta><dc:title>{escape(title)}</dc:title><meta:initial-creator>{author}</meta:initial-creator>
<dc:creator>{author}</dc:creator><dc:language>en-GB</dc:language></office:meta>
<office:styles>{HEADINGS}</office:styles>
<office:automatic-styles>
<style:style style:name="Break" style:family="paragraph" style:parent-style-name="Heading_20_1">
<style:paragraph-properties fo:break-before="page"/></style:style>{styles}
</office:automatic-styles>
<office:body>{body}</office:body></office:document>'''


def p(text, style='Standard'):
    return f'<text:p text:style-name="{style}">{escape(text)}</text:p>'


def h(text, level=1, new_page=False):
    style = 'Break' if new_page else f'Heading_20_{level}'
    return f'<text:h text:style-name="{style}" text:outline-level="{level}">{escape(text)}</text:h>'


def bullets(items):
    return '<text:list>' + ''.join(f'<text:list-item>{p(item)}</text:list-item>' for item in items) + '</text:list>'


def table(name, rows, header=True):
    def row(cells):
        return '<table:table-row>' + ''.join(
            f'<table:table-cell office:value-type="string">{p(cell)}</table:table-cell>' for cell in cells
        ) + '</table:table-row>'
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>'
    head = f'<table:table-header-rows>{row(rows[0])}</table:table-header-rows>' if header else row(rows[0])
    return f'<table:table table:name="{name}">{columns}{head}{"".join(map(row, rows[1:]))}</table:table>'


def convert(source, extension, target, export_filter=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, f'{pathlib.Path(target).stem}.{extension}')
        path.write_text(source, encoding='utf-8')
        subprocess.run(
            ['soffice', '--headless', f'-env:UserInstallation={pathlib.Path(folder, "profile").as_uri()}',
             '--convert-to', export_filter or pathlib.Path(target).suffix[1:], '--outdir', folder, str(path)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.move(str(pathlib.Path(folder, target)), OUT / target)


# The documents.

INVOICE_ROWS = [
    ['Item', 'Quantity', 'Unit price', 'Amount'],
    ['Flow meter FM-200', '4', '£ 412.50', '£ 1,650.00'],
    ['Pressure sensor PS-15', '10', '£ 86.00', '£ 860.00'],
    ['Calibration on site', '1', '£ 540.00', '£ 540.00'],
    ['Total including VAT', '', '', '£ 3,660.00'],
]


def invoice():
    body = '<office:text>' + ''.join([
        h('Invoice BW-2026-0417'),
        p('Brightwater Instruments Ltd, 12 Harbour Lane, Bristol BS1 4RW'),
        p('Telephone +44 117 496 0123, accounts@brightwater.example'),
        p('To: Nordlicht Messtechnik GmbH, attention Dr. Katrin Vogel, Uferstraße 8, 24103 Kiel'),
        p('Date of issue: 17 April 2026. Payment is due within 30 days.'),
        table('Items', INVOICE_ROWS),
        p('Please transfer the total to IBAN GB29 NWBK 6016 1331 9268 19, reference BW-2026-0417.'),
        h('Delivery note', new_page=True),
        p('The goods left our warehouse on 14 April 2026 in two parcels of 18 kg each.'),
        p('Received in Kiel by Jonas Petersen, telephone +49 30 23125 042.'),
        bullets(['Parcel 1: four flow meters, packed in foam', 'Parcel 2: ten pressure sensors and their cables']),
        h('Terms of business', new_page=True),
        p('Goods remain the property of Brightwater Instruments Ltd until they are paid for in full.'),
        p('Questions about this invoice: Oliver Hughes, oliver.hughes@brightwater.example.'),
    ]) + '</office:text>'
    options = json.dumps({'UseTaggedPDF': {'type': 'boolean', 'value': 'true'}})
    source = flat('text', body, 'Invoice BW-2026-0417', 'Oliver Hughes')
    convert(source, 'fodt', 'invoice.pdf', f'pdf:writer_pdf_Export:{options}')


MINUTES_ROWS = [
    ['Action', 'Owner', 'Due'],
    ['Order replacement pumps', 'Maria Lindqvist', '5 May 2026'],
    ['Publish the safety report', 'Samuel Okafor', '12 May 2026'],
    ['Call the insurer', 'Priya Nair', ''],
]


def minutes_source():
    body = '<office:text>' + ''.join([
        h('Minutes of the site meeting'),
        p('Held on 28 April 2026 in Bristol, room Severn. Chair: Maria Lindqvist.'),
        p('Present: Samuel Okafor, Priya Nair, Tom Ashworth. Apologies: Elena Rossi.'),
        h('Pump failure in hall 3', 2),
        p('Samuel Okafor reported that two pumps failed on 21 April after a power cut. Nobody was hurt.'),
        p('The supplier offers a replacement within ten days; contact service@pumpworks.example, +44 20 7946 0958.'),
        h('Decisions', 2),
        bullets(['The backup generator is tested every month', 'Visitors sign in at the gate']),
        table('Actions', MINUTES_ROWS),
        h('Next meeting', 2),
        p('26 May 2026 at 10:00. Minutes taken by Tom Ashworth, tom.ashworth@brightwater.example.'),
    ]) + '</office:text>'
    return flat('text', body, 'Minutes of the site meeting', 'Tom Ashworth')


def minutes():
    convert(minutes_source(), 'fodt', 'minutes.docx')


def price_list():
    date_style = '''<number:date-style style:name="Iso"><number:year number:style="long"/><number:text>-</number:text>
<number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
<number:percentage-style style:name="Pct"><number:number number:decimal-places="0" number:min-integer-digits="1"/>
<number:text>%</number:text></number:percentage-style>
<number:boolean-style style:name="Bool"><number:boolean/></number:boolean-style>
<style:style style:name="Boolean" style:family="table-cell" style:data-style-name="Bool"/>
<style:style style:name="Date" style:family="table-cell" style:data-style-name="Iso"/>
<style:style style:name="Percent" style:family="table-cell" style:data-style-name="Pct"/>'''

    def cell(value):
        if value is None:
            return '<table:table-cell/>'
        if isinstance(value, bool):
            return (f'<table:table-cell table:style-name="Boolean" office:value-type="boolean" '
                    f'office:boolean-value="{str(value).lower()}"/>')
        if isinstance(value, (int, float)):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        kind, _, rest = value.partition(':')
        if kind == 'date':
            return f'<table:table-cell table:style-name="Date" office:value-type="date" office:date-value="{rest}"/>'
        if kind == 'percent':
            return f'<table:table-cell table:style-name="Percent" office:value-type="percentage" office:value="{rest}"/>'
        if kind == 'formula':
            return f'<table:table-cell table:formula="of:={rest}" office:value-type="float" office:value="0"/>'
        return f'<table:table-cell office:value-type="string">{p(value)}</table:table-cell>'

    def sheet(name, rows):
        lines = ''.join('<table:table-row>' + ''.join(map(cell, row)) + '</table:table-row>' for row in rows)
        return f'<table:table table:name="{name}">{lines}</table:table>'

    body = '<office:spreadsheet>' + sheet('Prices 2026', [
        ['Article', 'Description', 'Price', 'Discount', 'In stock', 'Valid from'],
        ['FM-200', 'Flow meter, stainless steel', 412.5, 'percent:0.1', True, 'date:2026-01-01'],
        ['PS-15', 'Pressure sensor 0–15 bar', 86, 'percent:0.05', True, 'date:2026-01-01'],
        ['TH-7', 'Thermometer | wall mount', 39.95, None, False, 'date:2026-03-15'],
        ['Sum', None, 'formula:SUM([.C2:.C4])', None, None, None],
    ]) + sheet('Contacts', [
        ['Name', 'E-mail', 'Telephone'],
        ['Oliver Hughes', 'oliver.hughes@brightwater.example', '+44 117 496 0123'],
        ['Elena Rossi', 'elena.rossi@brightwater.example', '+44 117 496 0188'],
    ]) + '</office:spreadsheet>'
    source = flat('spreadsheet', body, 'Price list 2026', 'Elena Rossi', date_style)
    convert(source, 'fods', 'price-list.xlsx')


def presentation():
    def frame(top, height, content):
        return (f'<draw:frame svg:x="2cm" svg:y="{top}cm" svg:width="24cm" svg:height="{height}cm">'
                f'{content}</draw:frame>')

    def slide(number, title, content, notes=''):
        notes = f'<presentation:notes>{frame(15, 9, f"<draw:text-box>{p(notes)}</draw:text-box>")}</presentation:notes>'
        title = f'<draw:text-box>{p(title)}</draw:text-box>'
        # LibreOffice drops a header row inside a slide's table, hence header=False there.
        return f'<draw:page draw:name="Slide {number}">{frame(1, 3, title)}{frame(5, 9, content)}{notes}</draw:page>'

    def box(lines):
        return f'<draw:text-box>{"".join(map(p, lines))}</draw:text-box>'

    body = '<office:presentation>' + ''.join([
        slide(1, 'Launch of the FM-300', box(['Brightwater Instruments', 'Presented by Priya Nair, 3 June 2026']),
              'Welcome the guests from Nordlicht.'),
        slide(2, 'Why a new flow meter?', box(['Twice the accuracy', 'Half the weight', 'Reads out over radio'])),
        slide(3, 'Launch plan', table('Plan', [
            ['Step', 'Region', 'Month'],
            ['Pilot customers', 'Scotland', 'June'],
            ['First deliveries', 'Germany', 'August'],
            ['Training for partners', 'France', 'October'],
        ], header=False)),
        slide(4, 'Questions?', box(['priya.nair@brightwater.example', '+44 117 496 0177'])),
    ]) + '</office:presentation>'
    convert(flat('presentation', body, 'Launch of the FM-300', 'Priya Nair'), 'fodp', 'product-launch.pptx')


def handbook():
    body = '<office:text>' + ''.join([
        h('Handbook for new colleagues'),
        p('Welcome to Brightwater Instruments. Your first contact is Grace Adeyemi, grace.adeyemi@brightwater.example.'),
        h('Working hours', 2),
        p('Core time is from 10:00 to 15:00. Overtime is recorded and taken as leave within three months.'),
        h('Expenses', 2),
        p('Send receipts to expenses@brightwater.example. Advances are paid to the account you name, '
          'for instance IBAN DE89 3704 0044 0532 0130 00.'),
        table('Rates', [
            ['Journey', 'Daily allowance', 'Hotel up to'],
            ['United Kingdom', '£ 45', '£ 120'],
            ['Germany', '€ 52', '€ 140'],
            ['Switzerland', 'CHF 80', 'CHF 210'],
        ]),
        h('Emergency', 2),
        p('Dial 112, then reception on +44 117 496 0100. The assembly point is the car park by the canal.'),
    ]) + '</office:text>'
    convert(flat('text', body, 'Handbook for new colleagues', 'Grace Adeyemi'), 'fodt', 'handbook.odt')


NEWSLETTER = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="author" content="Grace Adeyemi">
<title>Brightwater News, summer 2026</title>
<style>body { font-family: sans-serif } .price { color: #246 }</style>
<script>window.tracking = "this script is not part of the text";</script>
</head>
<body>
<h1>Brightwater News</h1>
<p>Dear readers, our new <b>flow</b> meter FM&#8209;300 is <em>here</em>&nbsp;&ndash; smaller, lighter and more accurate.</p>
<h2>Meet us at the fair</h2>
<p>Visit <a href="https://brightwater.example/fair">hall 7, stand B12</a> in Hannover.<br>
Ask for Samuel Okafor (<a href="mailto:samuel.okafor@brightwater.example">samuel.okafor@brightwater.example</a>).</p>
<table>
  <thead><tr><th>Day</th><th>Talk</th><th>Speaker</th></tr></thead>
  <tbody>
    <tr><td>Monday</td><td>Measuring &amp; saving water</td><td>Priya Nair</td></tr>
    <tr><td>Tuesday</td><td>Sensors | a &quot;primer&quot;</td><td></td></tr>
  </tbody>
</table>
<ul><li>Free entry with this newsletter</li><li>Coffee is served from 9:30</li></ul>
<p>Unsubscribe: news@brightwater.example or telephone +44 117 496 0150.</p>
</body>
</html>
'''

CUSTOMERS = '''Customer,Contact,E-mail,Telephone,IBAN,Turnover
Nordlicht Messtechnik GmbH,Katrin Vogel,k.vogel@nordlicht.example,+49 30 23125 017,DE89 3704 0044 0532 0130 00,48210.50
"Fontaine & Fils, SARL",Amélie Fontaine,amelie@fontaine.example,+33 1 99 00 12 34,FR14 2004 1010 0505 0001 3M02 606,17995.00
Glen Tay Distillery,Ewan MacLeod,ewan@glentay.example,+44 131 496 0321,GB29 NWBK 6016 1331 9268 19,9350.75
"Müller ""Pumpen"" AG",Reto Müller,reto@mueller-pumpen.example,,,120.00
'''

RELEASE_NOTES = '''# Release notes, FM-300 firmware 2.4

Released on 2 June 2026 by *Samuel Okafor* <samuel.okafor@brightwater.example>.

## New

- Reads out over radio every **15 seconds**
- Warns before the battery is empty

## Known issues

| Number | Problem              | Fixed in |
| ------ | -------------------- | -------- |
| 1041   | Clock runs too fast  | 2.4.1    |
| 1058   | Display stays dark   | 2.5      |

```sh
fm300-update --port /dev/ttyUSB0 firmware-2.4.bin
```

Support: +44 117 496 0199
'''

CONFIGURATION = {
    'device': 'FM-300',
    'serial': 'BW-300-004417',
    'owner': {'name': 'Ewan MacLeod', 'email': 'ewan@glentay.example', 'phone': '+44 131 496 0321'},
    'site': 'Glen Tay Distillery, still house',
    'alarms': [
        {'name': 'high flow', 'above': 120.5, 'unit': 'l/min'},
        {'name': 'leak suspected', 'above': 0.2, 'unit': 'l/min', 'after': 'PT2H'},
    ],
    'note': 'Kühlwasser – do not close the valve',
}

LETTER_UTF16 = '''Brightwater Instruments Ltd
12 Harbour Lane, Bristol

Dear Ms Wójcik, dear Mr Παπαδόπουλος,

thank you for your visit to Bristol. The prototype costs € 1,980 and weighs 2½ kg.
We look forward to hearing from you – 東京 office included.

Kind regards
Maria Lindqvist
maria.lindqvist@brightwater.example
'''

LETTER_LATIN1 = '''Fontaine & Fils, SARL
8, rue de l'Évêché, 69005 Lyon

Chère Madame Adeyemi,

nous avons bien reçu le débitmètre, mais il manque la notice en français. Pourriez-vous nous l'envoyer
à l'adresse amelie@fontaine.example ? Le règlement a déjà été effectué depuis notre compte
IBAN FR14 2004 1010 0505 0001 3M02 606.

Veuillez agréer l'expression de mes sentiments distingués.
Amélie Fontaine, +33 1 99 00 12 34
'''


def mail():
    message = email.message.EmailMessage(policy=email.policy.SMTP)
    message['From'] = 'Katrin Vogel <k.vogel@nordlicht.example>'
    message['To'] = 'Oliver Hughes <oliver.hughes@brightwater.example>'
    message['Cc'] = 'accounts@brightwater.example'
    message['Date'] = 'Wed, 22 Apr 2026 09:14:00 +0200'
    message['Subject'] = 'Rückfrage zu Rechnung BW-2026-0417'
    message['Message-ID'] = '<20260422091400.1@nordlicht.example>'
    message.set_content(
        'Dear Mr Hughes,\n\none pressure sensor arrived damaged (Größe 15 bar). Please send a replacement.\n'
        'The customers you asked for are attached.\n\nBest regards\nKatrin Vogel\n+49 30 23125 017\n')
    message.add_alternative(
        '<p>Dear Mr Hughes,</p><p>one pressure sensor arrived damaged (Größe 15 bar). Please send a replacement.</p>'
        '<p>The customers you asked for are attached.</p><p>Best regards<br>Katrin Vogel<br>+49 30 23125 017</p>',
        subtype='html')
    message.add_attachment(CUSTOMERS.encode(), maintype='text', subtype='csv', filename='customers.csv')
    message.add_attachment((OUT / 'minutes.docx').read_bytes(), maintype='application',
                           subtype='vnd.openxmlformats-officedocument.wordprocessingml.document',
                           filename='Sitzung März.docx')
    message.set_boundary('=_brightwater_mixed')
    list(message.iter_parts())[0].set_boundary('=_brightwater_alternative')
    (OUT / 'complaint.eml').write_bytes(message.as_bytes())


def archive():
    with zipfile.ZipFile(OUT / 'archive.zip', 'w', zipfile.ZIP_DEFLATED) as file:
        for name, target in {
            'minutes.docx': 'meetings/minutes.docx', 'customers.csv': 'customers.csv',
            'release-notes.md': 'firmware/release-notes.md', 'lettre-latin1.txt': 'post/lettre-latin1.txt',
        }.items():
            info = zipfile.ZipInfo(target, (2026, 6, 3, 12, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, (OUT / name).read_bytes())


def damaged():
    """The first third of a PDF: its page tree and its table of objects are missing."""
    whole = (OUT / 'invoice.pdf').read_bytes()
    (OUT / 'damaged.pdf').write_bytes(whole[: len(whole) // 3])


def protected():
    subprocess.run(['msoffcrypto-tool', '-e', '-p', PASSWORD, str(OUT / 'minutes.docx'), str(OUT / 'protected.docx')],
                   check=True)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    invoice()
    minutes()
    price_list()
    presentation()
    handbook()
    for name, data in {
        'newsletter.html': NEWSLETTER.encode(),
        'customers.csv': CUSTOMERS.encode(),
        'release-notes.md': RELEASE_NOTES.encode(),
        'configuration.json': (json.dumps(CONFIGURATION, indent=2, ensure_ascii=False) + '\n').encode(),
        'letter-utf16.txt': b'\xff\xfe' + LETTER_UTF16.encode('utf-16-le'),
        'lettre-latin1.txt': LETTER_LATIN1.encode('iso-8859-1'),
    }.items():
        (OUT / name).write_bytes(data)
    mail()
    archive()
    damaged()
    protected()


if __name__ == '__main__':
    main()
