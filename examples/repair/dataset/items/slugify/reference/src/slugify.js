/** A title as part of an address: `Hello, World!` becomes `hello-world`. */
export function slugify(title) {
  return title
    .normalize('NFD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
