import { isIPv6 } from 'node:net';
import { ahv, bsn, cpf, dni, iban, ibanLength, luhn, nir, pesel, steuerId } from './checksums.js';
import type { Span } from './span.js';

/**
 * Finds one kind of personal data. Every rule takes time linear in the text: repetitions are bounded and what they
 * repeat cannot match in two ways.
 */
export interface Rule {
  name: string;
  find(text: string): Iterable<Span>;
}

const month = String.raw`\p{L}{3,10}\.?`;
const year = String.raw`(?:\d{4}|\d{2})`;
const day = String.raw`\d{1,2}(?:st|nd|rd|th|\.)?`;
const date = String.raw`\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|${day} (?:of |de )?${month},? (?:de )?${year}|${month} ${day},? ${year}`;

export const rules: readonly Rule[] = [
  { name: 'e-mail address', find: emailAddresses },
  { name: 'URL with credentials', find: urlCredentials },
  { name: 'IBAN', find: ibans },
  { name: 'card number', find: cardNumbers },

  pattern('phone number', /(?<![\w.@-])(?:\+|00)[1-9](?:[ ()./-]{0,3}\d){6,14}(?!\d)/g),
  pattern('phone number', /(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g),
  pattern('phone number', /(?<![\w.,/-])\(?0[1-9]\d{0,4}\)?(?:[ ./-]{1,3}\d{2,8}){1,4}(?!\w)/g, (found) => {
    const count = digits(found).length;
    return count >= 8 && count <= 13 && !/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/.test(found);
  }),
  pattern('phone number', /(?<![\w.,-])0[1-9]\d{8,10}(?![\w,-])/g),
  pattern(
    'phone number',
    /\b(?:tel|phone|fax|mobile|cell|telefon|mobil|handy|telephone|téléphone)\b[.:]{0,2} {0,2}(?<hit>[+(]?\d[\d ()./-]{4,20}\d)/dgi,
  ),

  pattern('US social security number', /(?<![\d-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])/g),
  pattern('UK national insurance number', /\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b/gi),
  pattern('Italian tax code', /\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b/gi),
  pattern('Spanish identity number', /\b(?:[XYZ]-?\d{7}|\d{8})-?[A-Z]\b/gi, (found) => dni(found.replaceAll('-', ''))),
  pattern('French social security number', /\b[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}\b/gi, (found) =>
    nir(found.replaceAll(' ', '')),
  ),
  pattern('German tax number', /(?<!\d)[1-9]\d ?\d{3} ?\d{3} ?\d{3}(?!\d)/g, (found) => steuerId(digits(found))),
  pattern('Polish identity number', /(?<!\d)\d{11}(?!\d)/g, pesel),
  pattern('Swiss insurance number', /(?<!\d)756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?!\d)/g, (found) => ahv(digits(found))),
  pattern('Swedish identity number', /(?<!\d)(?:19|20)?\d{6}[-+]\d{4}(?!\d)/g, (found) =>
    luhn(digits(found).slice(-10)),
  ),
  pattern('Brazilian tax number', /(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/g, (found) => cpf(digits(found))),
  pattern('Canadian insurance number', /(?<![\d-])\d{3}([ -])\d{3}\1\d{3}(?![\d-])/g, (found) => luhn(digits(found))),
  pattern('Dutch citizen number', /\b(?:BSN|burgerservicenummer)[: ]{1,3}(?<hit>\d{9})(?!\d)/dgi, bsn),
  pattern(
    'passport number',
    /\b(?:passport|reisepass|passeport|pasaporte|passaporto)(?: (?:no|nr|number|nummer))?[.:# ]{1,3}(?<hit>[A-Z0-9]{6,9})\b/dgi,
    (found) => /\d/.test(found),
  ),

  pattern('IP address', /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\d|\.\d)/g, (found) =>
    found.split('.').every((part) => Number(part) <= 255),
  ),
  pattern(
    'IP address',
    /(?<![\w:.])[0-9a-f]{0,4}:[0-9a-f:]{1,38}(?:\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])/gi,
    (found) => /\d/.test(found) && isIPv6(found),
  ),
  pattern(
    'date of birth',
    new RegExp(
      String.raw`(?<!\p{L})(?:born|date of birth|birth ?date|birthday|d\.?o\.?b\.?|geboren|geb\.|geburtsdatum|geburtstag|née? le|date de naissance|fecha de nacimiento|nacid[oa]|data di nascita|nat[oa] il|geboortedatum)[ \t:,*-]{0,6}(?:(?:on|am|is|the|el|den) ){0,2}(?<hit>${date})(?!\d)`,
      'gdiu',
    ),
  ),
];

/** A rule from a regular expression; its group `hit`, where there is one, is what counts. */
function pattern(name: string, expression: RegExp, check: (found: string) => boolean = () => true): Rule {
  return {
    name,
    *find(text) {
      for (const match of text.matchAll(expression)) {
        const found = match.groups?.hit ?? match[0];
        if (!check(found)) continue;
        const [start, end] = match.indices?.groups?.hit ?? [match.index, match.index + match[0].length];
        yield { start, end };
      }
    },
  };
}

function digits(text: string): string {
  return text.replace(/\D/g, '');
}

const localPart = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const domainPart = /[\p{L}\p{N}.-]/u;
const domain = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,24}$/u;

/** From every `@` outward, because looking for the local part first takes quadratic time. */
function* emailAddresses(text: string): Generator<Span> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < 64 && localPart.test(text[start - 1] as string)) start--;
    while (start < at && /[.'`{|/=]/.test(text[start] as string)) start++;
    let end = at + 1;
    while (end < text.length && end - at <= 255 && domainPart.test(text[end] as string)) end++;
    while (end > at + 1 && /[.-]/.test(text[end - 1] as string)) end--;
    if (start < at && domain.test(text.slice(at + 1, end))) yield { start, end };
  }
}

const secretValue =
  /[?&#;](?:access_?token|api_?key|apikey|auth|key|pass|passwd|password|pwd|secret|sig|signature|token)=(?<hit>[^&#;\s]{1,2048})/dgi;

function* urlCredentials(text: string): Generator<Span> {
  let from = 0;
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', from)) {
    let start = colon;
    while (start > from && colon - start < 20 && /[\w+.-]/.test(text[start - 1] as string)) start--;
    let end = colon + 3;
    while (end < text.length && end - colon < 4096 && !/[\s"'<>`]/.test(text[end] as string)) end++;
    from = end;
    const rest = text.slice(colon + 3, end);
    const authority = rest.slice(0, rest.search(/[/?#]|$/));
    if (authority.includes('@') && authority.indexOf('@') > 0) {
      yield { start, end };
      continue;
    }
    for (const match of rest.matchAll(secretValue)) {
      const [first, last] = match.indices?.groups?.hit ?? [0, 0];
      yield { start: colon + 3 + first, end: colon + 3 + last };
    }
  }
}

/** As many characters as the country's IBANs have, so that a word after the number is not taken with it. */
function* ibans(text: string): Generator<Span> {
  for (const { index: start } of text.matchAll(/(?<![A-Z0-9])[A-Z]{2}\d{2}(?=[ -]?[A-Z0-9])/gi)) {
    const length = ibanLength(text.slice(start, start + 2));
    if (length === undefined) continue;
    let number = '';
    let end = start;
    for (; end < text.length && number.length < length; end++) {
      const char = text[end] as string;
      if (/[A-Z0-9]/i.test(char)) number += char;
      else if (!/[ -]/.test(char) || /[ -]/.test(text[end - 1] as string)) break;
    }
    const endsThere = !/[A-Z0-9]/i.test(text[end] ?? '');
    if (number.length === length && endsThere && iban(number)) yield { start, end };
  }
}

/** 13 to 19 digits that end where a group ends; what follows (a date, a check number) is not taken with it. */
function* cardNumbers(text: string): Generator<Span> {
  for (const { 0: run, index: start } of text.matchAll(/(?<![\d.,])[2-6](?:[ -]?\d){12,18}/g)) {
    let number = '';
    let longest = 0;
    for (let at = 0; at < run.length; at++) {
      const char = run[at] as string;
      if (char === ' ' || char === '-') continue;
      number += char;
      const groupEnds = !/\d/.test(text[start + at + 1] ?? '');
      if (number.length >= 13 && groupEnds && luhn(number)) longest = at + 1;
    }
    if (longest > 0) yield { start, end: start + longest };
  }
}
