export {
  counted,
  dollars,
  duration,
  grouped,
  namedInterval,
  pEquals,
  percent,
  rateBounds,
  score,
} from '@jurist/experiment/result'
