/** Version of this package, sent with the login. */
export const version = '0.1.0';
