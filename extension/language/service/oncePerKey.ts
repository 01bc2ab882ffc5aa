/** The same function, which works once for each key: a pipeline of a thousand components has a few dozen providers. */
export function oncePerKey<Key, Value extends object | string>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = work(key)));
    return value;
  };
}
