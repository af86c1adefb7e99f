import { useId } from 'react';
import { textOf } from '../parts/show.ts';
import { useWords } from '../words.ts';
import { emptyOf } from './drafts.ts';
import type { Schema } from './offers.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface FormProps {
  readonly schema: Schema;
  readonly value: Fields;
  readonly change: (value: Fields) => void;
}

/** A form for the members of an object, as its schema has them; members that it does not know are kept. */
export function Form({ schema, value, change }: FormProps) {
  const { properties = {}, required = [] } = schema;
  const without = (name: string): Fields => {
    const { [name]: _gone, ...rest } = value;
    return rest;
  };
  return (
    <div className="form">
      {Object.entries(properties).map(([name, member]) => (
        <Field
          key={name}
          name={name}
          schema={member}
          value={value[name]}
          isRequired={required.includes(name)}
          change={(next) => change(next === undefined ? without(name) : { ...value, [name]: next })}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isRequired: boolean;
  /** Nothing takes the member out. */
  readonly change: (value: unknown) => void;
}

function Field(props: FieldProps) {
  const { name, schema, isRequired } = props;
  const say = useWords();
  const id = useId();
  const { title, description } = schema;
  return (
    <div className="field">
      <label htmlFor={id}>
        {title ?? name}
        {title !== undefined && title !== name && <code>{name}</code>}
        {isRequired ? (
          <i aria-hidden="true">*</i>
        ) : (
          <span className="quiet">{say('optional')}</span>
        )}
      </label>
      <Input {...props} id={id} />
      {description !== undefined && <p className="hint">{description}</p>}
    </div>
  );
}

export function typeOf({ type, properties, items }: Schema, value?: unknown): string {
  const [first] = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  if (first !== undefined) return first;
  if (properties !== undefined) return 'object';
  if (items !== undefined || Array.isArray(value)) return 'array';
  return typeof value;
}

type InputProps = FieldProps & { readonly id: string };

function Input(props: InputProps) {
  const { schema, value, change, id } = props;
  const choices =
    schema.enum ?? schema.oneOf?.flatMap((one) => (one.const === undefined ? [] : [one.const]));
  if (choices !== undefined && choices.length > 0) return <Choice {...props} choices={choices} />;
  switch (typeOf(schema, value)) {
    case 'boolean':
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={({ target }) => change(target.checked)}
        />
      );
    case 'number':
    case 'integer':
      return <NumberInput {...props} />;
    case 'object':
      return schema.properties === undefined ? <JsonInput {...props} /> : <Group {...props} />;
    case 'array':
      return <List {...props} />;
    case 'string':
      return <Text {...props} />;
    default:
      return <JsonInput {...props} />;
  }
}

function Choice({
  id,
  schema,
  value,
  change,
  isRequired,
  choices,
}: InputProps & { readonly choices: readonly unknown[] }) {
  const titles = new Map(schema.oneOf?.map((one) => [one.const, one.title]));
  const at = choices.indexOf(value);
  return (
    <select
      id={id}
      value={at < 0 ? '' : String(at)}
      onChange={({ target }) =>
        change(target.value === '' ? undefined : choices[Number(target.value)])
      }
    >
      {(at < 0 || !isRequired) && <option value="">–</option>}
      {choices.map((choice, index) => (
        <option key={JSON.stringify(choice)} value={index}>
          {titles.get(choice) ?? textOf(choice)}
        </option>
      ))}
    </select>
  );
}

function Text({ id, schema, value, change, isRequired }: InputProps) {
  const text = typeof value === 'string' ? value : '';
  const take = (next: string): void => change(next === '' && !isRequired ? undefined : next);
  const isLong = text.length > 60 || text.includes('\n');
  if (isLong) {
    return <textarea id={id} rows={5} value={text} onChange={({ target }) => take(target.value)} />;
  }
  const kinds: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' };
  return (
    <input
      id={id}
      type={kinds[schema.format ?? ''] ?? 'text'}
      value={text}
      placeholder={textOf(schema.examples?.[0])}
      onChange={({ target }) => take(target.value)}
    />
  );
}

function NumberInput({ id, schema, value, change }: InputProps) {
  return (
    <input
      id={id}
      type="number"
      step={typeOf(schema) === 'integer' ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
      value={typeof value === 'number' ? value : ''}
      onChange={({ target }) => change(target.value === '' ? undefined : Number(target.value))}
    />
  );
}

function Group({ schema, value, change }: InputProps) {
  return (
    <div className="group">
      <Form schema={schema} value={Object(value) as Fields} change={change} />
    </div>
  );
}

function List({ id, name, schema, value, change }: InputProps) {
  const say = useWords();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const { items: item = {} } = schema;
  return (
    <div className="group" id={id}>
      {items.map((one, index) => (
        <div
          className="item"
          // Items have no names: their places are what they are.
          key={`${name} ${index}`}
        >
          <Input
            id={`${id}-${index}`}
            name={`${name} ${index + 1}`}
            schema={item}
            value={one}
            isRequired
            change={(next) => change(items.map((other, at) => (at === index ? next : other)))}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`${say('remove')} ${name} ${index + 1}`}
            onClick={() => change(items.filter((_, at) => at !== index))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" className="quiet" onClick={() => change([...items, emptyOf(item)])}>
        + {say('addItem')}
      </button>
    </div>
  );
}

/** What a form has no field for is typed as JSON, and taken over as soon as it is some. */
function JsonInput({ id, value, change }: InputProps) {
  return (
    <textarea
      id={id}
      className="code"
      rows={3}
      defaultValue={value === undefined ? '' : JSON.stringify(value)}
      onChange={({ target }) => {
        try {
          change(target.value === '' ? undefined : JSON.parse(target.value));
          target.setCustomValidity('');
        } catch (error) {
          target.setCustomValidity(String(error));
        }
      }}
    />
  );
}
