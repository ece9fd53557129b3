package io.retroscope.rql.answer;

/**
 * What PLAY makes of a row. All values lie in MIDI's range already.
 *
 * @param instrument as written in the query
 * @param note 0 to 127
 * @param velocity 1 to 127
 * @param lengthMicros more than 0
 */
public record Note(String instrument, int note, int velocity, long lengthMicros) {}
