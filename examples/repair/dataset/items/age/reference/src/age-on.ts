/** Age in whole years. A birthday counts from its first moment, in UTC. */
export function ageOn(birth: Date, day: Date): number {
  const years = day.getUTCFullYear() - birth.getUTCFullYear()
  const months = day.getUTCMonth() - birth.getUTCMonth()
  const days = day.getUTCDate() - birth.getUTCDate()
  const before = months < 0 || (months === 0 && days < 0)
  return before ? years - 1 : years
}
