const collator = new Intl.Collator('de')

/** A new list, by family name and then by given name. */
export function sortPeople(people) {
  return [...people].sort(
    (a, b) => collator.compare(a.family, b.family) || collator.compare(a.given, b.given),
  )
}
