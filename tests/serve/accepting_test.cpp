// What goes wrong while a client is accepted ends that client's connection and nothing else.
#include "client.h"
#include "serve/server.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace {

// While set, there is no memory for any thread but that one.
std::atomic<bool> no_memory = false;
std::atomic<int> refused = 0;
thread_local bool spared = false;

void* allocate(std::size_t size) {
  if (no_memory && !spared) {
    ++refused;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace kinema::serve {
namespace {

constexpr std::array<Page, 1> pages = {{{"/index.html", "text/html; charset=utf-8", "<p>kinema</p>"}}};

ServerSettings any_port() {
  ServerSettings settings;
  settings.port = 0;
  settings.token = false;
  return settings;
}

TEST(Accepting, GoesOnAfterALackOfMemory) {
  Hub hub;
  const Server server(any_port(), pages, hub);
  spared = true;
  for (int i = 0; i < 3; ++i) {
    const int before = refused;
    no_memory = true;
    const Client unlucky(server.port());
    while (refused == before) std::this_thread::yield();
    no_memory = false;
    EXPECT_EQ(Client(server.port()).get("/").status, 200);
  }
}

TEST(Accepting, GoesOnWhenDescriptorsAreFreeAgain) {
  Hub hub;
  const Server server(any_port(), pages, hub);
  Client client(server.port());
  EXPECT_EQ(client.get("/").status, 200);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit small{256, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  std::vector<int> taken;
  for (int one = ::dup(0); one >= 0; one = ::dup(0)) taken.push_back(one);
  ASSERT_FALSE(taken.empty());
  ::close(taken.back());
  taken.pop_back();
  Client waiting(server.port());  // connected by the system; the server has no descriptor left for it
  EXPECT_EQ(client.get("/").status, 200) << "who is there is served meanwhile";
  waiting.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const int one : taken) ::close(one);
  EXPECT_EQ(waiting.receive().status, 200);
}

}  // namespace
}  // namespace kinema::serve
