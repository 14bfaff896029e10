const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function isLeapYear(year) {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

/** The number of days of a month, 1 to 12, in the Gregorian calendar. */
export function daysInMonth(year, month) {
  if (month === 2 && isLeapYear(year)) return 29
  return days[month - 1]
}
