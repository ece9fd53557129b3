// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** A real system, a fault, and a question about it that no single log answers. */
public interface CaseStudy {
  /** The name after {@code demo}, and of the files with the sound. */
  String name();

  /** The questions, the main one first. */
  List<Question> questions();

  /** The statements of the soundscape, without STREAM. */
  String soundscape();

  /** This case without its faults: a control run. */
  CaseStudy withoutFaults();

  /**
   * Starts the system.
   *
   * @param folder for its files, removed at the end
   * @param server the log server for its events
   * @throws StageException if it does not start; no process is left running
   */
  Scene start(Path folder, URI server) throws StageException, IOException, InterruptedException;

  /** The running system. */
  interface Scene extends AutoCloseable {
    /** The traced nodes, in natural order. */
    List<String> nodes();

    /** Lines that introduce it: addresses, and what will be done to it. */
    List<String> introduction();

    /** Begins to load it, and to inject its faults. */
    Work begin() throws StageException, InterruptedException;

    /**
     * Checks that all its processes run.
     *
     * @throws StageException if one ended, with the reason if it is known
     */
    void checkRunning() throws StageException;

    /** What must hold after the work, known from another source than the questions' answers. */
    List<Check> checks(History history) throws StageException, IOException;

    /**
     * Leaves further files, such as figures.
     *
     * @throws StageException if a node does not provide them
     */
    default void leave(Path outFolder) throws StageException, IOException, InterruptedException {}

    /** Ends all its processes. */
    @Override
    void close();
  }

  /** Load and faults that continue until they are closed. */
  interface Work extends AutoCloseable {
    /** A few words about the progress. */
    String status();

    /**
     * Checks that load and faults continue.
     *
     * @throws StageException with the reason if they have ended before they were to
     */
    default void checkRunning() throws StageException {}

    /**
     * Completes the fault in progress, waits until the system is whole again, and ends the load.
     *
     * @throws StageException if it does not become whole, or the load failed
     */
    void finish() throws StageException, InterruptedException;

    /** Ends load and faults immediately; no effect if they have ended. */
    @Override
    void close();
  }
}
