import type { JSX } from 'preact'
import { errorRules, type JurySettings, policies, type SeatedJury, voteNames } from '../../src/what-if/settings.js'
import { keptOptions, voteNamed } from '../../src/what-if/vote-again.js'
import { changeQuery } from '../router.js'

/** Options that have a field of their own. */
const settable: readonly string[] = ['threshold', 'onError']

/** What can be set of one jury. */
export function JuryForm({
  jury: { name, seats, strategy, options, assumed, policy },
  settings,
}: {
  readonly jury: SeatedJury
  readonly settings: JurySettings
}): JSX.Element {
  const vote = settings.vote ?? voteNamed(strategy)
  const kept = vote === undefined ? {} : keptOptions(vote, { ...assumed, ...options })
  const others = Object.entries(kept).filter(([option]) => !settable.includes(option))
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
      {typeof kept.threshold === 'number' ? (
        <Amount
          label="Threshold"
          parameter={`threshold:${name}`}
          value={settings.threshold}
          was={kept.threshold}
          most={1}
          step={0.05}
        />
      ) : null}
      <Choice
        label="Errors count as"
        parameter={`errors:${name}`}
        value={settings.onError}
        was={typeof options?.onError === 'string' ? options.onError : ''}
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
      {others.length === 0 ? null : (
        <p class="quiet small">{others.map(([option, value]) => `${option} ${String(value)}`).join(', ')}</p>
      )}
      {assumed === undefined ? null : (
        <p class="quiet small">
          This run does not say all options of its vote. Assumed: the defaults
          {assumed.threshold === undefined ? '' : ', and for the threshold the least score that passed'}.
        </p>
      )}
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
  readonly was: number
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
        value={value ?? was}
        onInput={({ currentTarget: { value: typed } }) => {
          // An empty field is one that is being typed in.
          if (typed !== '') changeQuery({ [parameter]: Number(typed) === was ? undefined : typed })
        }}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value === '') currentTarget.value = String(value ?? was)
        }}
      />
    </label>
  )
}
