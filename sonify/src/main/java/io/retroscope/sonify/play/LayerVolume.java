// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.Layer;

/**
 * The loudness of each layer: its channel volume, and the changes with which a background follows
 * its value.
 */
final class LayerVolume {
  /*
   * Measured as momentary loudness at the output: background -44.5 LUFS, -38.5 at its highest value, 18 LU
   * below the marks of -20; alarm -15; heartbeat -38; loss of the server -24. Volume (CC7), expression (CC11)
   * and velocity are square laws: 40 log10(value / 127) dB. Brightness (CC74) beyond its ends
   * changes the pad by less than can be heard, or makes it dull.
   */

  private static final int EXPRESSION_LOW = 86;
  private static final int EXPRESSION_HIGH = 115;
  private static final int BRIGHTNESS_LOW = 45;
  private static final int BRIGHTNESS_HIGH = 61;
  private static final double FULL = 127;

  private LayerVolume() {}

  /** CC7 of a layer, changed by some decibels as far as the controller reaches. */
  static int volume(Layer layer, double decibels) {
    double changed = volume(layer) * Math.pow(10, decibels / 40);
    return (int) Math.round(Math.max(1, Math.min(FULL, changed)));
  }

  private static int volume(Layer layer) {
    return switch (layer) {
      case BACKGROUND -> 24;
      case HEARTBEAT -> 36;
      case MARK -> 100;
      case ALARM -> 127;
      case SERVER -> 80;
    };
  }

  /**
   * CC11 of a background.
   *
   * @param level 0 to 1
   * @param fade 127 while it does not fade, 0 when it is silent
   */
  static int expression(double level, int fade) {
    double full = EXPRESSION_LOW + (EXPRESSION_HIGH - EXPRESSION_LOW) * level;
    return (int) Math.round(full * fade / FULL);
  }

  /** CC74 of a background: the cut-off of its filter. */
  static int brightness(double level) {
    return (int) Math.round(BRIGHTNESS_LOW + (BRIGHTNESS_HIGH - BRIGHTNESS_LOW) * level);
  }
}
