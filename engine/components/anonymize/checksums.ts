/** Check digits of account, card and identity numbers. All take plain digits or letters without separators. */

export function luhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, double = false; at >= 0; at--, double = !double) {
    const digit = Number(digits[at]) * (double ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum > 0 && sum % 10 === 0;
}

/** Lengths of the IBANs of the countries that have them. */
const ibanLengths = new Map<string, number>(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 ' +
    'FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
    'LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ' +
    'ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

export function ibanLength(country: string): number | undefined {
  return ibanLengths.get(country.toUpperCase());
}

export function iban(text: string): boolean {
  const turned = (text.slice(4) + text.slice(0, 4)).toUpperCase();
  let rest = 0;
  for (const char of turned) {
    const value = char >= 'A' ? char.charCodeAt(0) - 55 : Number(char);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Sum of the digits with `weights`, repeated as needed. */
function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) sum += Number(digits[at]) * (weights[at % weights.length] as number);
  return sum;
}

/** Polish PESEL. */
export function pesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20;
  const sum = weighted(digits.slice(0, 10), [1, 3, 7, 9]) + Number(digits[10]);
  return month >= 1 && month <= 12 && sum % 10 === 0;
}

/** German tax identification number: ISO 7064, MOD 11,10. */
export function steuerId(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** Swiss AHV number: EAN-13. */
export function ahv(digits: string): boolean {
  return weighted(digits, [1, 3]) % 10 === 0;
}

/** French NIR: the key is 97 minus the number modulo 97; Corsica's letters stand for 19 and 18. */
export function nir(text: string): boolean {
  const digits = text.toUpperCase().replace('2A', '19').replace('2B', '18');
  return 97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13));
}

/** Spanish DNI and NIE. */
export function dni(text: string): boolean {
  const upper = text.toUpperCase();
  const number = Number(upper.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2'));
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23] === upper.at(-1);
}

/** Brazilian CPF. */
export function cpf(digits: string): boolean {
  if (new Set(digits).size === 1) return false;
  const check = (length: number): number => {
    let sum = 0;
    for (let at = 0; at < length; at++) sum += Number(digits[at]) * (length + 1 - at);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Dutch BSN: the eleven-test. */
export function bsn(digits: string): boolean {
  const sum = weighted(digits.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) - Number(digits[8]);
  return sum > 0 && sum % 11 === 0;
}
