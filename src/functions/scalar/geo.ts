import { SluiceError } from '../../base/index.ts';
import { type SqlType, types } from '../../types/index.ts';
import { expectNumber, illegalType } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';

/** Radius in metres of the sphere that stands for the Earth. */
const earthRadius = 6_371_008.8;

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Angle in radians between two points given in degrees, by the haversine formula. */
function angleBetween(lon1: number, lat1: number, lon2: number, lat2: number): number {
  const [first, second] = [toRadians(lat1), toRadians(lat2)];
  const latitude = Math.sin((second - first) / 2) ** 2;
  const longitude = Math.sin(toRadians(lon2 - lon1) / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(latitude + Math.cos(first) * Math.cos(second) * longitude)));
}

function distanceFunction(
  name: string,
  aliases: readonly string[],
  doc: string,
  scale: number,
  result: string,
): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    aliases,
    category: 'math',
    arity: [4, 4],
    syntax: `${name}(lon1, lat1, lon2, lat2)`,
    doc,
    examples: [[`round(${name}(0, 0, 90, 0))`, result]],
    type: (args) => {
      expectNumber(name, args, 0, 1, 2, 3);
      return types.float64;
    },
    kernel:
      () =>
      (...degrees: (number | bigint)[]) => {
        const [lon1, lat1, lon2, lat2] = degrees.map(Number) as [number, number, number, number];
        return angleBetween(lon1, lat1, lon2, lat2) * scale;
      },
  };
}

type Point = readonly [x: number, y: number];

function isPoint(type: SqlType): boolean {
  return (
    type.kind === 'tuple' &&
    type.elements.length === 2 &&
    type.elements.every((element) => element.type.kind === 'int' || element.type.kind === 'float')
  );
}

/** Whether a ray from the point crosses the ring an odd number of times; points on an edge count as inside. */
function insideRing(x: number, y: number, ring: readonly Point[]): boolean {
  let inside = false;
  for (let index = 0; index < ring.length; index++) {
    const [x1, y1] = ring[index]!.map(Number) as [number, number];
    const [x2, y2] = ring[(index + 1) % ring.length]!.map(Number) as [number, number];
    const cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
    const within =
      Math.min(x1, x2) <= x && x <= Math.max(x1, x2) && Math.min(y1, y2) <= y && y <= Math.max(y1, y2);
    if (cross === 0 && within) return true;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

function ringArgument(args: readonly Argument[], position: number): void {
  const { type } = args[position]!;
  if (type.kind !== 'array' || !isPoint(type.element))
    throw illegalType(
      'point_in_polygon',
      position,
      type,
      'an array of points such as [(0, 0), (1, 0), (1, 1)]',
    );
}

const pointInPolygon: ScalarFunction = {
  kind: 'scalar',
  name: 'point_in_polygon',
  category: 'math',
  arity: [2, Number.POSITIVE_INFINITY],
  syntax: 'point_in_polygon((x, y), [(x1, y1), ...][, [hole], ...])',
  doc: 'Whether a point lies in a polygon and in none of its holes; the border is inside.',
  examples: [
    ['point_in_polygon((1, 1), [(0, 0), (4, 0), (4, 4), (0, 4)])', 'true'],
    ['point_in_polygon((5, 1), [(0, 0), (4, 0), (4, 4), (0, 4)])', 'false'],
  ],
  type: (args) => {
    if (!isPoint(args[0]!.type))
      throw illegalType('point_in_polygon', 0, args[0]!.type, 'a point such as (x, y)');
    for (let position = 1; position < args.length; position++) ringArgument(args, position);
    return types.bool;
  },
  kernel:
    () =>
    (point: Point, ring: readonly Point[], ...holes: (readonly Point[])[]) => {
      if (ring.length < 3) throw new SluiceError('BAD_ARGUMENTS', 'A polygon needs at least three points');
      const [x, y] = [Number(point[0]), Number(point[1])];
      return insideRing(x, y, ring) && !holes.some((hole) => insideRing(x, y, hole)) ? 1 : 0;
    },
};

export const geoFunctions: readonly ScalarFunction[] = [
  distanceFunction(
    'geo_distance',
    ['great_circle_distance'],
    'Distance in metres between two points on the Earth, given in degrees.',
    earthRadius,
    '10007557',
  ),
  distanceFunction(
    'great_circle_angle',
    [],
    'Angle in degrees between two points on a sphere, given in degrees.',
    180 / Math.PI,
    '90',
  ),
  pointInPolygon,
];
