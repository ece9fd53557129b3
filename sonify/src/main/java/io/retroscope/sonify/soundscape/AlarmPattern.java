// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import io.retroscope.sonify.soundscape.AlarmRule.Priority;
import java.util.List;

/**
 * The pulses of a burst, after the patterns of medical alarms (IEC 60601-1-8), which can be
 * distinguished by rhythm alone. Pure.
 *
 * @param pulses in order of time
 * @param pulseMicros length of each pulse
 */
record AlarmPattern(List<Pulse> pulses, long pulseMicros) {
  /** A pulse and its time, in microseconds from the begin of the burst. */
  record Pulse(long micros, int key) {}

  /** G4, 392 Hz. */
  private static final int LOW = 67;

  /** B4, 494 Hz. */
  private static final int MIDDLE = 71;

  /** D5, 587 Hz. */
  private static final int HIGH = 74;

  private static final long MEDIUM_PULSE_MICROS = 180_000;
  private static final long HIGH_PULSE_MICROS = 120_000;

  /** One pulse: the alarm is over and has not been acknowledged. */
  static final AlarmPattern REMINDER =
      new AlarmPattern(List.of(new Pulse(0, LOW)), MEDIUM_PULSE_MICROS);

  private static final AlarmPattern MEDIUM_BURST =
      new AlarmPattern(
          List.of(new Pulse(0, LOW), new Pulse(380_000, MIDDLE), new Pulse(760_000, HIGH)),
          MEDIUM_PULSE_MICROS);

  private static final AlarmPattern HIGH_BURST =
      new AlarmPattern(
          List.of(
              new Pulse(0, LOW),
              new Pulse(200_000, MIDDLE),
              new Pulse(400_000, HIGH),
              new Pulse(760_000, HIGH),
              new Pulse(960_000, MIDDLE),
              new Pulse(1_500_000, LOW),
              new Pulse(1_700_000, MIDDLE),
              new Pulse(1_900_000, HIGH),
              new Pulse(2_260_000, HIGH),
              new Pulse(2_460_000, MIDDLE)),
          HIGH_PULSE_MICROS);

  static AlarmPattern burst(Priority priority) {
    return priority == Priority.HIGH ? HIGH_BURST : MEDIUM_BURST;
  }

  /** From the first pulse's beginning to the last one's end. */
  long lengthMicros() {
    return pulses.get(pulses.size() - 1).micros() + pulseMicros;
  }
}
