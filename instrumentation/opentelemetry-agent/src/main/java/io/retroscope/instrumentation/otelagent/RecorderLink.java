// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import static java.lang.invoke.MethodHandles.collectArguments;
import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.OptionalLong;

/** The methods of the shared recorder in another class loader. Immutable. */
final class RecorderLink {
  /** Records a send and returns its stamp as a text. */
  final MethodHandle send;

  /** Returns the next stamp as a text. */
  final MethodHandle tick;

  /** Records the receipt of a message with a packed stamp. */
  final MethodHandle receive;

  /** Reads a stamp, as an {@code OptionalLong}. */
  final MethodHandle parse;

  /** A link to the classes of a loader. */
  RecorderLink(ClassLoader loader) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    Class<?> recorder = Class.forName("io.retroscope.recorder.Recorder", true, loader);
    Class<?> ingress = Class.forName("io.retroscope.recorder.Ingress", true, loader);
    Class<?> stamp = Class.forName("io.retroscope.clock.HlcTimestamp", true, loader);
    MethodHandle shared = lookup.findStatic(recorder, "shared", methodType(recorder));
    MethodHandle text = lookup.findStatic(stamp, "text", methodType(String.class, long.class));
    MethodHandle sending =
        lookup.findVirtual(recorder, "send", methodType(long.class, String.class));
    MethodHandle anySending = MethodHandles.insertArguments(sending, 1, "");
    send = MethodHandles.filterReturnValue(collectArguments(anySending, 0, shared), text);
    MethodHandle ticking = lookup.findVirtual(recorder, "tick", methodType(long.class));
    tick = MethodHandles.filterReturnValue(collectArguments(ticking, 0, shared), text);
    MethodHandle entrance = lookup.findVirtual(recorder, "ingress", methodType(ingress));
    MethodHandle receiving =
        lookup.findVirtual(ingress, "receive", methodType(void.class, long.class));
    receive = collectArguments(receiving, 0, collectArguments(entrance, 0, shared));
    Class<?> context = Class.forName("io.retroscope.context.HlcContext", true, loader);
    parse = lookup.findStatic(context, "parse", methodType(OptionalLong.class, String.class));
  }
}
