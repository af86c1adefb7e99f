import type { Service } from '#protocol';
import { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';

/** What is served beside the first service: by path, and it may be another one each time. */
export type FurtherServices = (path: string) => Service | undefined;

/** The first endpoint of a listener, and those of further services. */
export interface Endpoints extends Pick<Endpoint, 'load' | 'close'> {
  readonly first: Endpoint;
  /** The endpoint at a path that is not the first one's. */
  further(path: string): Endpoint | undefined;
}

/** Makes the endpoint of each service when it is first asked for; one whose service has gone is closed. */
export function createEndpoints(
  service: Service,
  options: EndpointOptions & { readonly services?: FurtherServices | undefined },
): Endpoints {
  const { services = () => undefined } = options;
  const first = createEndpoint(service, options);
  const opened = new Map<string, { readonly service: Service; readonly endpoint: Endpoint }>();
  const all = (): readonly Endpoint[] => [
    first,
    ...Array.from(opened.values(), ({ endpoint }) => endpoint),
  ];
  return {
    first,
    further(path) {
      const wanted = services(path);
      const known = opened.get(path);
      if (known !== undefined && known.service === wanted) return known.endpoint;
      if (known !== undefined) {
        opened.delete(path);
        void known.endpoint.close();
      }
      if (wanted === undefined) return undefined;
      const endpoint = createEndpoint(wanted, { ...options, name: path });
      opened.set(path, { service: wanted, endpoint });
      return endpoint;
    },
    load() {
      const loads = all().map((endpoint) => endpoint.load());
      const sum = (member: keyof (typeof loads)[number]): number =>
        loads.reduce((total, load) => total + load[member], 0);
      return {
        calls: sum('calls'),
        undelivered: sum('undelivered'),
        unreadBytes: sum('unreadBytes'),
      };
    },
    async close() {
      await Promise.all(all().map((endpoint) => endpoint.close()));
    },
  };
}
