/** Node has these classes as globals; its types declare the values only. */
type TextEncoder = import('node:util').TextEncoder;
type TextDecoder = import('node:util').TextDecoder;
