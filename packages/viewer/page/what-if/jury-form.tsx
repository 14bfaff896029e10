import type { JSX } from 'preact'
import { errorRules, type JurySettings, type SeatedJury, voteNames } from '../../src/what-if/settings.js'
import { changeQuery } from '../place.js'

const policies: readonly string[] = ['reject-on-any-fail', 'accept-on-all-pass']
/** Votes on a number. */
const numeric: readonly (string | undefined)[] = ['average', 'weightedAverage', 'median']

/** What can be set of one jury. */
export function JuryForm({
  jury: { name, seats, strategy, policy },
  settings,
}: {
  readonly jury: SeatedJury
  readonly settings: JurySettings
}): JSX.Element {
  const vote = settings.vote ?? strategy
  return (
    <fieldset>
      <legend>{name === '' ? 'The jury' : name}</legend>
      {policy === undefined || policy === 'final' ? null : (
        <Choice
          label="Policy"
          parameter={`policy:${name}`}
          value={settings.policy}
          was={policy}
          options={policies.filter((one) => one !== policy)}
        />
      )}
      <Choice
        label="Vote"
        parameter={`vote:${name}`}
        value={settings.vote}
        was={strategy ?? 'unknown'}
        options={voteNames}
      />
      {numeric.includes(vote) ? (
        <Amount label="Threshold" parameter={`threshold:${name}`} value={settings.threshold} most={1} step={0.05} />
      ) : null}
      <Choice
        label="Errors count as"
        parameter={`errors:${name}`}
        value={settings.onError}
        was=""
        options={errorRules}
      />
      {vote === 'weightedAverage'
        ? [...seats].map(([seat, weight]) => (
            <Amount
              key={seat}
              label={`Weight of ${seat}`}
              parameter={`weight:${name}/${seat}`}
              value={settings.weights?.[seat]}
              was={weight}
              step={1}
            />
          ))
        : null}
    </fieldset>
  )
}

function Choice({
  label,
  parameter,
  value,
  was,
  options,
}: {
  readonly label: string
  readonly parameter: string
  readonly value: string | undefined
  readonly was: string
  readonly options: readonly string[]
}): JSX.Element {
  return (
    <label>
      <span>{label}</span>
      <select value={value ?? ''} onChange={(event) => changeQuery({ [parameter]: event.currentTarget.value })}>
        <option value="">{was === '' ? 'as it was' : `as it was: ${was}`}</option>
        {options.map((option) => (
          <option value={option} key={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  )
}

function Amount({
  label,
  parameter,
  value,
  was,
  most,
  step,
}: {
  readonly label: string
  readonly parameter: string
  readonly value: number | undefined
  readonly was?: number
  readonly most?: number
  readonly step: number
}): JSX.Element {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        min="0"
        max={most}
        step={step}
        placeholder={was === undefined ? '0.5' : String(was)}
        value={value ?? ''}
        onInput={(event) => changeQuery({ [parameter]: event.currentTarget.value })}
      />
    </label>
  )
}
