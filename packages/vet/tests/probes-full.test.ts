import { fileURLToPath } from 'node:url'
import { commandSucceeds } from '@jurist/workspace/commands'
import { expect, test } from 'vitest'
import { itemIn, passing } from './probe-fixture.js'

const item = itemIn(fileURLToPath(new URL('fixtures/javascript', import.meta.url)))

/** Limits of processor time: how busy the machine is makes no difference. */
const limited = 'ulimit -t 1; node tests/sums.test.js'

test.each([
  { probe: 'time-out', deceived: commandSucceeds(`${limited}; test $? -ne 1`), strict: commandSucceeds(limited) },
  {
    probe: 'huge-output',
    deceived: commandSucceeds('npm test > all.txt 2>&1 && exit; grep -q "ok 49999" all.txt'),
    strict: commandSucceeds(['npm', 'test']),
  },
])('$probe deceives a jury that does not look closely', async ({ probe, ...judges }) => {
  expect((await passing({ item, judges }, [probe]))[probe]).toEqual(['deceived'])
})
