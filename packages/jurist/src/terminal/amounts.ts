export {
  counted,
  dollars,
  duration,
  grouped,
  methodName,
  namedInterval,
  pEquals,
  percent,
  rateBounds,
  score,
} from '@jurist/experiment/result'
