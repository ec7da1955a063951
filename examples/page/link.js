// The state of the page in its address: #MODULE?KEY=VALUE&KEY=VALUE, of values that are not the defaults.

/** What an address says: {name, values}; values by key, as texts. */
export function readLink(hash, modules) {
  const [name, query] = hash.replace(/^#/, '').split('?');
  const module = modules.find((m) => m.name === name) ?? modules[0];
  const values = {};
  for (const [key, value] of new URLSearchParams(query ?? ''))
    if (module.controls.some((c) => c.key === key)) values[key] = value;
  return { name: module.name, values };
}

/** The address of a state. */
export function writeLink(module, values) {
  const query = new URLSearchParams();
  for (const control of module.controls)
    if (values[control.key] !== undefined && values[control.key] !== control.initial) query.set(control.key, values[control.key]);
  const text = query.toString();
  return `#${module.name}${text ? `?${text}` : ''}`;
}
