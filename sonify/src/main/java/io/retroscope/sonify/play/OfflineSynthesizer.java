// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sound.midi.MidiUnavailableException;
import javax.sound.midi.Receiver;
import javax.sound.midi.Soundbank;
import javax.sound.midi.Synthesizer;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;

/** The JDK's software synthesizer, rendering into a stream instead of a sound card. */
final class OfflineSynthesizer implements AutoCloseable {
  /*
   * The synthesizer can render offline, but only through a class that the module java.desktop does
   * not export, and javac refuses --add-exports together with --release. Hence reflection.
   */
  private static final String PACKAGE = "com.sun.media.sound";

  /**
   * The synthesizer reads its settings from java.util.prefs, which logs a message for a new home
   * folder.
   */
  private static final Logger PREFERENCES_LOGGER = Logger.getLogger("java.util.prefs");

  private final Synthesizer synthesizer;
  private final AudioInputStream audio;

  /**
   * Opens the synthesizer.
   *
   * @param settings the synthesizer's own, by their names
   * @throws IOException if this Java does not allow it
   */
  OfflineSynthesizer(AudioFormat format, Map<String, Object> settings) throws IOException {
    quietPreferences();
    try {
      synthesizer =
          Class.forName(PACKAGE + ".SoftSynthesizer")
              .asSubclass(Synthesizer.class)
              .getDeclaredConstructor()
              .newInstance();
      audio =
          (AudioInputStream)
              Class.forName(PACKAGE + ".AudioSynthesizer")
                  .getMethod("openStream", AudioFormat.class, Map.class)
                  .invoke(synthesizer, format, settings);
    } catch (InvocationTargetException e) {
      throw new IOException("the synthesizer does not open: " + e.getCause(), e);
    } catch (ReflectiveOperationException e) {
      throw new IOException(
          "this Java does not give access to its software synthesizer: start it with"
              + " --add-exports java.desktop/com.sun.media.sound=ALL-UNNAMED",
          e);
    }
  }

  static void quietPreferences() {
    PREFERENCES_LOGGER.setLevel(Level.OFF);
  }

  /** Uses this bank instead of the ones loaded before. */
  void use(Soundbank bank) {
    if (!synthesizer.loadAllInstruments(bank)) {
      throw new IllegalArgumentException(
          "the synthesizer does not read the bank " + bank.getName());
    }
  }

  Receiver receiver() {
    try {
      return synthesizer.getReceiver();
    } catch (MidiUnavailableException e) {
      throw new AssertionError("an open synthesizer takes messages", e);
    }
  }

  /** The sound, which is endless: silence follows the last message. */
  AudioInputStream audio() {
    return audio;
  }

  @Override
  public void close() {
    synthesizer.close();
  }
}
