import type { Check } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { type CheckGroup, groupedChecks } from '../../src/answers/check-groups.js'
import { Disclosure } from './disclosure.js'
import { PlacedText, PlaceLink } from './place-link.js'

/** How many failed checks are shown at first. */
const maxShown = 20

/** Lists the checks of a judgment: failed ones first, similar ones in groups, passed ones collapsed. */
export function CheckList(props: { readonly checks: readonly Check[]; readonly id: string }): JSX.Element | null {
  const { checks, id } = props
  const { failed, passed } = groupedChecks(checks)
  if (checks.length === 0) return null
  const rest = failed.slice(maxShown)
  return (
    <div class="checks">
      <Groups groups={failed.slice(0, maxShown)} id={id} />
      {rest.length === 0 ? null : (
        <Disclosure id={`${id} rest`} class="more" summary={`${counted(rest.length, 'more failed check')}`}>
          <Groups groups={rest} id={`${id} rest`} />
        </Disclosure>
      )}
      {passed.length === 0 ? null : (
        <Disclosure
          id={`${id} passed`}
          class="more"
          isOpenAtFirst={failed.length === 0 && passed.length === 1}
          summary={passed.length === 1 ? '1 check holds' : `${counted(passed.length, 'check')} hold`}
        >
          <ul>
            {passed.map((check, index) => (
              <CheckLine key={`${index} ${check.name}`} check={check} />
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  )
}

function Groups({ groups, id }: { readonly groups: readonly CheckGroup[]; readonly id: string }): JSX.Element | null {
  if (groups.length === 0) return null
  return (
    <ul>
      {groups.map(({ checks, message }, index) => {
        const [first] = checks
        return first !== undefined && checks.length === 1 ? (
          <CheckLine key={`${index}`} check={first} />
        ) : (
          <AlikeChecks key={`${index}`} checks={checks} message={message} id={`${id} ${index}`} />
        )
      })}
    </ul>
  )
}

function AlikeChecks({ checks, message, id }: CheckGroup & { readonly id: string }): JSX.Element {
  return (
    <li class="fail">
      <Sign passed={false} />
      <div>
        <PlacedText text={message} />
        <Disclosure id={id} class="more" summary={`${counted(checks.length, 'check')} alike`}>
          <ul>
            {checks.map(({ name, location }, index) => (
              <li key={`${index} ${name}`}>
                {name} {location === undefined ? null : <PlaceLink place={location} />}
              </li>
            ))}
          </ul>
        </Disclosure>
      </div>
    </li>
  )
}

export function CheckLine(props: { readonly check: Check; readonly as?: 'li' | 'p' }): JSX.Element {
  const { name, passed, message, location } = props.check
  const { as: Line = 'li' } = props
  return (
    <Line class={`check ${passed ? 'pass' : 'fail'}`}>
      <Sign passed={passed} />
      <span class="said">
        {name}
        {message.trim() === '' ? null : (
          <span class="quiet">
            : <PlacedText text={message.trim()} />
          </span>
        )}{' '}
        {location === undefined ? null : <PlaceLink place={location} />}
      </span>
    </Line>
  )
}

function Sign({ passed }: { readonly passed: boolean }): JSX.Element {
  return (
    <span class="sign" role="img" aria-label={passed ? 'holds' : 'does not hold'}>
      {passed ? '✓' : '✗'}
    </span>
  )
}
