/** The name of a model as that of a variant. */
export function variantName(model: string): string {
  const name = model
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return name === '' ? 'model' : name
}
