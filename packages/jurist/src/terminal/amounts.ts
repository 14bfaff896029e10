export {
  counted,
  dollars,
  duration,
  grouped,
  judgmentScore,
  namedInterval,
  pEquals,
  percent,
  points,
  rateBounds,
  score,
} from '@jurist/experiment/result'
