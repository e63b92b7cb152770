import type { Connector } from '../connector.ts';
import { kafkaOptions, kafkaSettings } from './options.ts';

/** External streams of `type='kafka'`. The client library, a large one, is loaded with the first of them. */
export const kafkaConnector: Connector = {
  type: 'kafka',
  variants: ['stream'],
  settings: kafkaSettings,
  connect: async ({ columns }, settings, shown, { schemas, outside }) => {
    const options = kafkaOptions(settings, outside);
    const { KafkaTable } = await import('./table.ts');
    return new KafkaTable(columns, options, shown, schemas);
  },
};
