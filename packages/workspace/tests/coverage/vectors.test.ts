import { describe, test } from 'vitest'
import * as coverage from '../../src/coverage/index.js'
import { runFileVectors } from '../files/file-vectors.js'

runFileVectors({ describe, test }, 'the judges of coverage', {
  manifest: new URL('../../vectors/files/files.json', import.meta.url),
  select: (judge) => judge in coverage,
})
