#include "bench/face_problem.h"
#include "face/combined_cuda.cuh"
#include "face/fitter_backends.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
using namespace kinema;
using Clock=std::chrono::steady_clock;
static double ms_since(Clock::time_point t){return std::chrono::duration<double,std::milli>(Clock::now()-t).count();}
static double worst(const face::Fit&a,const face::Fit&b){double w=0;for(size_t k=0;k<a.landmarks.size();k+=2)w=std::max(w,(double)std::hypot(a.landmarks[k]-b.landmarks[k],a.landmarks[k+1]-b.landmarks[k+1]));return w;}
static void compare(const char*what,std::shared_ptr<const face::Model> m,face::FitSettings fs,int faces){
  auto ref=face::make_fitter(m,fs,Backend::reference); auto gpu=face::make_fitter(m,fs,Backend::cuda); auto cpu=face::make_fitter(m,fs,Backend::cpu);
  double wg=0,wc=0; int bad=0,over=0; std::vector<bench::DrawnFace> d; std::vector<face::Face> f;
  for(int i=0;i<faces;++i){bench::DrawSettings ds; if(i%4==3){ds.x=0.12;} if(i%8==6) ds.y=0.93; d.push_back(bench::draw_face(7,5000+i,ds));}
  for(int i=0;i<faces;++i) f.push_back({d[i].view(),bench::displaced_start(d[i],7,i),false});
  std::vector<face::Fit> batch(f.size()); gpu->fit(f,batch);
  double wb=0;
  for(int i=0;i<faces;++i){ auto a=ref->fit(f[i]),b=gpu->fit(f[i]),c=cpu->fit(f[i]); auto b2=gpu->fit(f[i]);
    double g=worst(a,b); wg=std::max(wg,g); wc=std::max(wc,worst(a,c)); wb=std::max(wb,worst(a,batch[i])); over+=g>0.01;
    if(memcmp(b.landmarks.data(),b2.landmarks.data(),b.landmarks.size()*4)) ++bad;
    if(i<3||g>0.01) printf("    face %d E %.6f %.6f it %d %d diff gpu %.5f cpu %.5f batch %.5f\n",i,a.error,b.error,a.iterations,b.iterations,g,worst(a,c),worst(a,batch[i])); }
  printf("%s: worst gpu %.5f cpu %.5f batch %.5f, over 0.01: %d of %d, not repeated %d\n",what,wg,wc,wb,over,faces,bad); fflush(stdout);
}
int main(int argc,char**argv){
  const bool small=argc>1&&!strcmp(argv[1],"small");
  auto t0=Clock::now();
  auto faces=bench::draw_faces(1,small?30:82); printf("drawn %.0f ms\n",ms_since(t0));
  face::FitSettings fs; fs.threshold=-1; fs.score=false;
  std::vector<unsigned> sizes= small?std::vector<unsigned>{600}:std::vector<unsigned>{4096,16384,65536};
  if(small){
    bench::FaceModelSettings ms; ms.pixels=600; ms.modes=20; auto m=bench::make_face_model(faces,ms);
    compare("600",m,fs,2);
    auto two=fs; two.stages={{face::Method::combined,0,2,0},{face::Method::combined,0,2,0}}; compare("600 two stages",m,two,1);
    auto eight=fs; eight.damping={1,0.7f,0.5f,0.35f,0.25f,0.125f}; compare("600 six factors",m,eight,1);
    ms.features=face::Features::edges; ms.resampled=true; ms.pixels=3000; auto e=bench::make_face_model(faces,ms); compare("edges 3000",e,fs,1);
    return 0;
  }
  { bench::FaceModelSettings ms; ms.pixels=4096; ms.features=face::Features::edges; ms.resampled=true; auto e=bench::make_face_model(faces,ms);
    compare("edges",e,fs,16);
    auto def=fs; def.threshold=1e-4; compare("edges, default threshold",e,def,16);
    ms.features=face::Features::intensity; auto r=bench::make_face_model(faces,ms); compare("intensity frame",r,fs,16);
    auto two=fs; two.stages={{face::Method::combined,0,5,0},{face::Method::combined,0,5,0}}; compare("two stages",r,two,16);
    ms.resampled=false; ms.modes=59; auto w=bench::make_face_model(faces,ms); compare("59 modes, streaming",w,fs,16);
    auto eight=fs; eight.damping={1,0.7f,0.5f,0.35f,0.25f,0.125f}; compare("six factors",w,eight,16);
  }
  cudaStream_t st; cudaStreamCreate(&st);
  for(unsigned px:sizes){
    bench::FaceModelSettings ms; ms.pixels=px; t0=Clock::now(); auto m=bench::make_face_model(faces,ms);
    printf("== %u pixels, trained in %.0f ms, modes %zu\n",px,ms_since(t0),m->levels[0].texture_combined.rows);
    compare("  intensity",m,fs,px==4096?48:16);
    { auto def=fs; def.threshold=1e-4; compare("  default threshold",m,def,16); }
    const int n=64; std::vector<bench::DrawnFace> d; std::vector<unsigned char*> dev; std::vector<face::Start> starts;
    for(int i=0;i<n;++i){ d.push_back(bench::draw_face(7,6000+i)); unsigned char*p; cudaMalloc(&p,d[i].pixels.size()); cudaMemcpy(p,d[i].pixels.data(),d[i].pixels.size(),cudaMemcpyHostToDevice); dev.push_back(p); starts.push_back(bench::displaced_start(d[i],7,i)); }
    auto face_of=[&](int i){ face::Face f{{dev[i%n],d[i%n].width,d[i%n].height,d[i%n].width},starts[i%n],true}; return f;};
    { auto g=face::make_fitter(m,fs,Backend::cuda); auto p=face::make_fitter("paper",m,fs); auto r=face::make_fitter(m,fs,Backend::reference);
      for(auto* f:{g.get(),p.get()}){ std::vector<double> wall,devt; double w=0;
        for(int i=0;i<100;++i){ t0=Clock::now(); auto x=f->fit(face_of(i)); wall.push_back(ms_since(t0)); devt.push_back(f->times()[0].ms); if(i<8){ face::Face h{d[i].view(),starts[i],false}; w=std::max(w,worst(r->fit(h),x)); } }
        std::sort(wall.begin(),wall.end()); std::sort(devt.begin(),devt.end());
        printf("  %s: wall %.1f us device %.1f us, worst %.5f px\n",f==g.get()?"cuda":"paper",wall[50]*1e3,devt[50]*1e3,w); } fflush(stdout); }
    face::CombinedCuda c(*m,m->sequence[0],fs);
    std::vector<face::CombinedCuda::Input> in; 
    auto input=[&](int i){ face::CombinedCuda::Input q; auto f=face_of(i); auto t=face::start_pose(*m,f.start); q.task.source=f.image.data; q.task.width=f.image.width;q.task.height=f.image.height;q.task.stride=f.image.stride;q.task.centred=1; q.task.pose[0]=t.a;q.task.pose[1]=t.b;q.task.pose[2]=t.tx;q.task.pose[3]=t.ty; return q;};
    std::vector<face::CombinedCuda::Output> out;
    int tiles=(px+15)/16;
    { face::FitSettings f1=fs; for(unsigned it:{0u,1u,10u}){ face::Stage sg{face::Method::combined,0,it,0}; face::CombinedCuda q(*m,sg,f1); std::vector<double> t; for(int i=0;i<100;++i){ in={input(i)}; t.push_back(q.run(in,out,st)); } std::sort(t.begin(),t.end()); printf("  %u iterations: %.1f us\n",it,t[50]*1e3);} }
    for(int res:{1,0}) for(int wt:{1,2,3,4,8,16}) for(int cl:{1,8,16}){ if(res&&wt>4) continue; if(!res&&wt<4) continue; int blocks=(tiles+16*wt-1)/(16*wt); if(cl>1&&cl>=2*blocks) continue; face::CombinedPlan plan{res==1,wt,cl,(blocks+cl-1)/cl};
      if(!c.use_plan(plan)) { printf("  plan res %d wt %d cl %d G %d impossible\n",res,wt,cl,plan.group_clusters); continue; }
      std::vector<double> t,w; for(int i=0;i<100;++i){ in={input(i)}; t0=Clock::now(); t.push_back(c.run(in,out,st)); w.push_back(ms_since(t0)); } std::sort(t.begin(),t.end()); std::sort(w.begin(),w.end());
      printf("  plan res %d wt %d cl %d G %d: device %.1f us wall %.1f us",res,wt,cl,plan.group_clusters,t[50]*1e3,w[50]*1e3);
      if(px<=4096){ in.clear(); for(int i=0;i<4096;++i) in.push_back(input(i)); std::vector<double> bt,bw; for(int k=0;k<3;++k){t0=Clock::now(); bt.push_back(c.run(in,out,st)); bw.push_back(ms_since(t0));} printf("; batch 4096: %.0f fits/s device, %.0f wall",4096/bt[1]*1e3,4096/bw[1]*1e3);} printf("\n"); fflush(stdout);
    }
    for(auto p:dev) cudaFree(p);
  }
}
