export { type Clock, systemClock, type Timer, VirtualClock } from './clock.ts';
export { type ErrorName, errorCodes } from './error-codes.ts';
export { assert, SluiceError, toSluiceError, unreachable } from './errors.ts';
export { limits } from './limits.ts';
export { maybeYouMeant, nearestName } from './nearest.ts';
export {
  parseSetting,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingsFrom,
} from './settings.ts';
