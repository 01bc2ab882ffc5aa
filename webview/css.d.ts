/** Style sheets are bundled into one beside the script. */
declare module '*.css';
