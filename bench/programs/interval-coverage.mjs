// A few cells of bench/interval-coverage.mjs, for the tests: seeded, so that every machine prints the same.
import { calibrationCoverage, differenceCoverage, judges, passRateCoverage } from '../interval-coverage.mjs'

const passRate = [
  { items: 30, repetitions: 3, a: 1.8, b: 0.2 },
  { items: 30, repetitions: 3, a: 8, b: 2 },
].map((cell) => passRateCoverage(cell, 500))
const [, repeated, clustered, rare] = judges
const calibration = [repeated, clustered, rare].map((judge) => calibrationCoverage(judge, 60))
const difference = differenceCoverage({ items: 10, repetitions: 3, kind: 'normal' }, 100)
console.log(JSON.stringify({ passRate, calibration, difference }))
