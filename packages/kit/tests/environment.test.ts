import { allowedVariables } from '@jurist/kit/environment'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe('allowedVariables', () => {
  test('takes names as they are, and with * at the end every name that begins so', () => {
    const host = { PATH: '/bin', AWS_KEY: 'a', AWS_ID: 'b', AWS: 'c', SECRET: 'd', GONE: undefined }
    expect(allowedVariables(['PATH', 'AWS_*', 'GONE', 'ABSENT'], host)).toEqual({
      PATH: '/bin',
      AWS_KEY: 'a',
      AWS_ID: 'b',
    })
    expect(allowedVariables(['A*S_KEY', ''], host)).toEqual({})
    expect(allowedVariables([], host)).toEqual({})
  })

  test('never gives a variable that no name allows', () => {
    const name = fc.stringMatching(/^[A-C]{1,3}$/)
    fc.assert(
      fc.property(fc.array(name), fc.dictionary(name, fc.string()), (names, host) => {
        expect(Object.keys(allowedVariables(names, host)).sort()).toEqual(
          Object.keys(host)
            .filter((one) => names.includes(one))
            .sort(),
        )
      }),
    )
  })
})
