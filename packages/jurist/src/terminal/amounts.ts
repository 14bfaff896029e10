export {
  counted,
  dollars,
  duration,
  grouped,
  judgmentScore,
  namedInterval,
  pEquals,
  percent,
  rateBounds,
  score,
} from '@jurist/experiment/result'
