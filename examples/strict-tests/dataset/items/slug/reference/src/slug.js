export function slug(title) {
  const words = title.trim().toLowerCase()
  if (words === '') throw new Error('A title is missing')
  return words.replaceAll(' ', '-')
}
