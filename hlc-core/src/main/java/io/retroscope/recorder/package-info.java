/**
 * The entry point for recording a service's events, and the ring and drainer that deliver them.
 *
 * <p>The idea: an application thread must neither wait nor allocate much to record an event. It
 * claims a slot of a bounded ring, ticks the hybrid logical clock, fills the slot in and publishes
 * it. A single background thread, the drainer, takes published slots out of the ring, assembles
 * them into numbered blocks, and passes these to the sink. If the ring is full, the event is
 * dropped and counted, and the gap in the sequence numbers makes the loss visible to queries.
 *
 * <p>The main types, in the order in which an event meets them:
 *
 * <ul>
 *   <li>{@link Recorder} and {@link EventLog} are the interface for services; {@link
 *       RecorderBuilder} holds the settings, which {@code RecorderPlanner} resolves once into a
 *       {@code RecorderPlan}.
 *   <li>{@code Admission} converts arguments into bounded, immutable values before a slot is
 *       claimed.
 *   <li>{@code EventWriter} runs the steps of the application's thread on the {@code EventRing} and
 *       its {@code Slot}s.
 *   <li>{@code Repairs} keeps the changes of dropped events until they can be recorded again.
 *   <li>{@code Drainer} empties the ring, with {@code Stragglers} for late writers, {@code Pacing}
 *       for its pauses and {@code Flushes} for callers that wait; {@code BlockAssembler} builds the
 *       blocks.
 *   <li>{@code Lifecycle} owns the successive {@code ActiveIncarnation}s, one for each incarnation
 *       of the node; {@code NodeState} keeps the data that must survive a restart.
 * </ul>
 *
 * <p>The invariants:
 *
 * <ul>
 *   <li>No call throws into the service or blocks it, whatever the sink, the disk or the arguments
 *       do. Each event that is not recorded is counted in {@link RecorderStatistics}.
 *   <li>A slot is claimed before the clock ticks. The heartbeat promise depends on it: all events
 *       up to the promised stamp are in blocks that have been passed on. The proof is in {@code
 *       Drainer}.
 *   <li>A repair never overwrites a newer value. The proof is in {@code Repairs}.
 *   <li>Only the drainer's thread reads the ring and calls {@link
 *       io.retroscope.sink.EventSink#accept}. Fields of {@code Slot} belong to the thread that its
 *       state designates.
 *   <li>All memory is bounded: the ring in slots and bytes, an event in characters and values,
 *       repairs in variables and bytes.
 * </ul>
 *
 * <p>Where to make a change: a new setting is added to {@link RecorderBuilder} and {@code
 * RecorderPlanner}; a new counter to {@code Counters} and {@link RecorderStatistics}; a new kind of
 * event to {@link EventLog}, {@code EventWriter} and {@code BlockAssembler}; a new destination is
 * an {@link io.retroscope.sink.EventSink} and needs no change here. A change to the steps of the
 * ring, the drainer or the repairs needs a schedule in {@code InterleavingTest} and a run of the
 * tests in the module {@code stress}.
 */
@NullMarked
package io.retroscope.recorder;

import org.jspecify.annotations.NullMarked;
