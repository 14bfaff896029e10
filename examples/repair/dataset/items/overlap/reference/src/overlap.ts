/** Minutes since midnight; the end is not part of the booking. */
export interface Booking {
  readonly start: number
  readonly end: number
}

/** Whether two bookings share any time. */
export function overlap(a: Booking, b: Booking): boolean {
  return a.start < b.end && b.start < a.end
}

/** The bookings that collide with the wanted one. */
export function collisions(bookings: readonly Booking[], wanted: Booking): Booking[] {
  return bookings.filter((booking) => overlap(booking, wanted))
}
