# builds only what the fitter needs
set -e
cd "$(dirname "$0")"; mkdir -p /tmp/o; S=$SECONDS
D="-DKINEMA_HAVE_OPENMP -DKINEMA_HAVE_CUDA -DKINEMA_VERSION='\"x\"' -DKINEMA_COMPILER='\"y\"'"
E=$(ls -d /usr/include/eigen3 /usr/local/include/eigen3 /opt/*/include/eigen3 2>/dev/null | head -1)
[ -n "$E" ] || E=$(dirname "$(find / -type d -name Eigen -path '*include*' 2>/dev/null | head -1)")
for f in src/face/*.cpp src/core/threads.cpp src/core/backend.cpp src/core/simd.cpp bench/face_problem.cpp; do
  echo "g++ -std=c++20 -O3 -fopenmp -ffp-contract=off -fno-math-errno $D -I. -Iinclude -Isrc -isystem $E -c $f -o /tmp/o/$(basename $f).o"; done > /tmp/o/jobs
for f in src/face/combined_cuda.cu src/face/combined_kernel_cuda.cu src/face/fitter_cuda.cu src/core/cuda/device.cu tune_face.cu; do
  echo "nvcc -std=c++20 -O3 $D --expt-relaxed-constexpr -fmad=false -lineinfo -arch=sm_90 -I. -Iinclude -Isrc -c $f -o /tmp/o/$(basename $f).o"; done >> /tmp/o/jobs
echo "nvcc -std=c++20 -O3 $D --expt-relaxed-constexpr -arch=sm_90 -I. -Iinclude -Isrc -c src/face/fitter_paper_cuda.cu -o /tmp/o/paper.o" >> /tmp/o/jobs
xargs -d '\n' -P ${JOBS:-16} -I{} bash -c {} < /tmp/o/jobs
nvcc -arch=sm_90 /tmp/o/*.o -o /tmp/o/tune -lfmt -lgomp
echo "built in $((SECONDS-S)) s"
