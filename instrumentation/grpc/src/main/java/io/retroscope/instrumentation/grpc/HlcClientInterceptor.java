// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.retroscope.recorder.Recorder;

/**
 * The client interceptor: a call carries the stamp of its send event, and the stamps in the
 * response's headers and trailers are observed before the caller sees the response. Thread-safe.
 *
 * <p>HAZARD: messages within a stream carry no stamps; only the start and the end of a call order
 * client and server.
 *
 * <p>Each call costs three stamps and three events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcClientInterceptor implements ClientInterceptor {
  private final Recorder recorder;

  /** An interceptor that propagates the recorder's clock. */
  public HlcClientInterceptor(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        HlcMetadata.inject(recorder.send(""), headers);
        super.start(observing(listener), headers);
      }
    };
  }

  private <A> ClientCall.Listener<A> observing(ClientCall.Listener<A> listener) {
    return new SimpleForwardingClientCallListener<>(listener) {
      @Override
      public void onHeaders(Metadata headers) {
        receive(headers);
        super.onHeaders(headers);
      }

      @Override
      public void onClose(Status status, Metadata trailers) {
        receive(trailers);
        super.onClose(status, trailers);
      }
    };
  }

  private void receive(Metadata metadata) {
    HlcMetadata.extract(metadata).ifPresent(remote -> recorder.receive("", remote));
  }
}
