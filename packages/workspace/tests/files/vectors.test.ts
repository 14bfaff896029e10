import { describe, test } from 'vitest'
import * as files from '../../src/files/index.js'
import { runFileVectors } from './file-vectors.js'

runFileVectors({ describe, test }, 'the judges of files', {
  manifest: new URL('../../vectors/files/files.json', import.meta.url),
  select: (judge) => judge in files,
})
