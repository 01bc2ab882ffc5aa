/** The JSON Schema of pipeline files, for editors and agents that know nothing of pipelines, made from the catalogue. */

const text = (description) => ({ type: 'string', description });

/**
 * @param {{ providers: object[], planned: object[] }} catalogue pipeline/catalog.json
 * @returns {object} a schema of draft 7, which is what most editors read
 */
export function pipelineSchema({ providers, planned }) {
  const lanes = [...new Set([...providers, ...planned].flatMap(lanesOf))].sort();
  const link = {
    type: 'object',
    required: ['from', 'lane'],
    properties: {
      from: text('Id of the component the data comes from.'),
      lane: { description: 'The output lane of that component.', enum: lanes },
    },
  };
  const control = {
    type: 'object',
    required: ['from', 'classType'],
    properties: {
      from: text('Id of the component that uses this one.'),
      classType: text('What it is used as, such as `llm`, `tool` or `memory`.'),
    },
  };
  const component = {
    type: 'object',
    required: ['id', 'provider', 'config'],
    properties: {
      id: { ...text('Unique in the pipeline.'), minLength: 1 },
      provider: {
        description: 'The kind of component.',
        // A server may have components of its own, so others are not wrong.
        anyOf: [{ enum: providers.map(({ id }) => id) }, { type: 'string', minLength: 1 }],
      },
      name: text('For people.'),
      config: { type: 'object', description: 'Settings of the provider; may be empty.' },
      input: { type: 'array', description: 'Where data comes from.', items: link },
      control: { type: 'array', description: 'The components that use this one.', items: control },
    },
    allOf: providers.map(({ id, aliases = [] }) => ({
      if: { properties: { provider: { enum: [id, ...aliases] } }, required: ['provider'] },
      then: { properties: { config: { $ref: `#/definitions/${id}` } } },
    })),
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Millrace pipeline',
    type: 'object',
    required: ['components'],
    properties: {
      name: text('For people.'),
      description: text('For people.'),
      project_id: text('Tells pipelines apart.'),
      source: text('Id of the component where data comes in.'),
      version: { type: 'integer' },
      components: { type: 'array', items: { $ref: '#/definitions/component' } },
    },
    definitions: { component, ...Object.fromEntries(providers.flatMap(configDefinitions)) },
  };
}

function lanesOf({ lanes }) {
  return Object.entries(lanes).flatMap(([input, outputs]) => [...(input === '_source' ? [] : [input]), ...outputs]);
}

/** What a file may say: nothing is required, for a profile may have it, and settings may stand in its section. */
function configDefinitions({ id, description, config, profiles = {}, profileAliases = {}, defaultProfile }) {
  const { required: _required, description: _own, ...settings } = config;
  const names = [...Object.keys(profiles), ...Object.keys(profileAliases)];
  if (names.length === 0) return [[id, { ...settings, description }]];
  const section = { description: 'Settings over those of the profile.', $ref: `#/definitions/${id}.settings` };
  const properties = {
    ...settings.properties,
    profile: { description: 'The set of values to begin with.', default: defaultProfile, enum: names },
    ...Object.fromEntries(names.map((name) => [name, section])),
  };
  return [
    [id, { ...settings, description, properties }],
    [`${id}.settings`, settings],
  ];
}
