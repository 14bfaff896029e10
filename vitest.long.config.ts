import { longTests } from './tests/structure/long-tests.js'
import base from './vitest.config.js'

/** The tests that `npm test` leaves out. */
export default { ...base, test: { ...base.test, include: [...longTests], exclude: ['**/node_modules/**'] } }
